import type { ShiftUpdate } from "../../../generated/provider/types.ts";
import { readShift, type Shift } from "../../contract/shift.ts";
import { HOUR_MS } from "../../contract/timestamp.ts";
import { secondShiftOf, secondShiftUse } from "../cancellable-shift.ts";
import { type Exchange, isPlain, type Reply } from "../exchange.ts";
import { type Found, found, type Outcome, passed, skipped } from "../finding.ts";
import type { Run } from "../run.ts";
import { MOST_POSITIONS, readShiftOf, shiftBodyOf, shiftOf, updateOf } from "../shift.ts";
import type { Check } from "./check.ts";
import { type FixtureShift, fixtureShift } from "./full-shift.ts";
import { confirmed } from "./steady-reads.ts";
import { differing, judgeOthers, judgeUnasked, TIMES_AND_POSITIONS, TOTAL } from "./unexpected-changes.ts";

/** PUT /shifts/{id} changes times and positions, and nothing else (contract 4.2). */
export const updates: Check = {
  group: "meaning",
  needs: ["shift", "update", "cancellable"],
  gives: ["settled", "used"],
  holds: secondShiftUse,
  run: check,
};

const TITLE = "times and positions of a shift are changed";
const NONE = "a shift without positions has none";

async function* check(run: Run): AsyncGenerator<Outcome> {
  const fixture = await fixtureShift(run, "updateShift", TITLE, secondShiftOf(run));
  if ("kind" in fixture) return yield fixture;
  if (fixture.shift.warnings.includes("time_without_offset")) {
    const reason = "its times have no offset, so they could not be restored";
    return yield skipped("skipped_after_failure", "updateShift", TITLE, reason);
  }
  let isAsBefore = false;
  try {
    for (const step of stepsOf(fixture)) {
      const outcomes = await perform(run, fixture, step);
      yield* outcomes;
      if (outcomes.some(({ kind }) => kind !== "passed")) return;
    }
    isAsBefore = true;
  } finally {
    if (!isAsBefore) await restoreAll(run, fixture);
  }
}

interface Step {
  title: string;
  update: ShiftUpdate;
  /** A provider may require at least one position. */
  mayBeRefused?: true;
}

/** Returns the time with an offset of two hours: a provider must read the offset. */
function withOffset(time: number): string {
  return new Date(time + 2 * HOUR_MS).toISOString().replace("Z", "+02:00");
}

/** Returns the steps: both times and positions, then each alone, because a provider may store only one. The last one restores it. */
function stepsOf({ body, shift }: FixtureShift): Step[] {
  const was = updateOf(body);
  const slots = was.slots < MOST_POSITIONS ? was.slots + 1 : was.slots - 1;
  const [start, end] = [Date.parse(shift.startTime) + HOUR_MS, Date.parse(shift.endTime) + 2 * HOUR_MS];
  const elsewhere = { startTime: withOffset(start), endTime: withOffset(end) };
  const none: Step = { title: NONE, update: updateOf(body, { ...elsewhere, slots: 0 }), mayBeRefused: true };
  const [startTime, endTime] = [new Date(start).toISOString(), new Date(end).toISOString()];
  return [
    { title: TITLE, update: updateOf(body, { ...elsewhere, slots }) },
    { title: "only the positions of a shift are changed", update: updateOf(body, { startTime, endTime }) },
    ...(shift.assigned.length > 0 ? [] : [none]),
    { title: "only the times of a shift are changed", update: was },
  ];
}

async function perform(
  run: Run,
  fixture: FixtureShift,
  { title, update, mayBeRefused }: Step,
): Promise<Outcome[]> {
  const path = { shiftId: fixture.shiftId };
  const exchange = await run.send({ operation: "updateShift", path, json: update });
  if (!isPlain(exchange))
    return [skipped("skipped_after_failure", "updateShift", title, "there was no usable response")];
  if (exchange.answer.status >= 400) return [mayBeRefused ? passed("updateShift", title) : refused(exchange)];
  const read = await readShiftOf(run, fixture.shiftId);
  const now = shiftOf(read);
  if (!now) return [skipped("skipped_after_failure", "updateShift", title, "the shift cannot be read")];
  const wanted = wantedOf(fixture, update);
  const afterwards = [
    ...judgeStored(exchange, wanted, now, "the shift"),
    ...judgeUnasked(exchange, fixture.shift, now, { fields: TIMES_AND_POSITIONS }),
    ...judgeOthers(exchange, fixture.body, shiftBodyOf(read), "only times and positions changed"),
  ];
  const wrong = [
    ...(await confirmed(run, fixture.shiftId, read, afterwards)),
    // The platform uses the shift in the response.
    ...judgeStored(exchange, wanted, shiftOf(exchange), "the response"),
  ];
  return wrong.length > 0 ? wrong : [passed("updateShift", title)];
}

/** Returns a warning for 409 and 422, which the platform shows to the employer (decisions, "PUT /shifts/{id} response"). */
function refused(exchange: Reply): Found {
  const { status } = exchange.answer;
  const code = status === 409 || status === 422 ? "update_refused" : "request_refused";
  return found(code, { exchange, expected: "200 or 204", actual: `status ${status}` });
}

function wantedOf({ body }: FixtureShift, { startTime, endTime, slots }: ShiftUpdate): Partial<Shift> {
  const { shift } = readShift({ ...body, startTime, endTime }, "UTC");
  return { ...(shift && { startTime: shift.startTime, endTime: shift.endTime }), positions: slots };
}

function judgeStored(
  exchange: Exchange,
  wanted: Partial<Shift>,
  now: Shift | undefined,
  where: string,
): Found[] {
  if (!now) return [];
  // The judge reports missing positions.
  const isKnown = (field: string) => field !== "positions" || !now.warnings.includes("positions_missing");
  const fields = TIMES_AND_POSITIONS.filter((field) => now[field] !== wanted[field] && isKnown(field));
  if (fields.length === 0) return [];
  const values = fields.map((field) => `${field} ${now[field]} instead of ${wanted[field]}`);
  const actual = `${where} has ${values.join(", ")}`;
  if (isOffsetIgnored(wanted, now, fields)) {
    const expected = "the offset of each time read";
    return [found("offset_ignored", { exchange, expected, actual, cause: expected })];
  }
  const isRemainder = now.positions === (wanted.positions ?? Number.NaN) - now.assigned.length;
  const details = { exchange, expected: "the values of the update", actual };
  const fix = fields.join() === "positions" && now.assigned.length > 0 && isRemainder && { fix: TOTAL };
  return [found("update_without_effect", { ...details, cause: `${where} ${fields.join()}`, ...fix })];
}

const HALF_HOUR_MS = HOUR_MS / 2;

/** Whether the wrong fields are both times, off by the same number of half hours. */
function isOffsetIgnored(wanted: Partial<Shift>, now: Shift, fields: readonly string[]): boolean {
  const [start, end] = (["startTime", "endTime"] as const).map(
    (field) => Date.parse(now[field]) - Date.parse(wanted[field] ?? ""),
  );
  return fields.join() === "startTime,endTime" && start === end && (start ?? 1) % HALF_HOUR_MS === 0;
}

async function restoreAll(run: Run, { shiftId, body, shift }: FixtureShift): Promise<void> {
  const now = shiftOf(await readShiftOf(run, shiftId));
  if (now && differing(shift, now).length === 0) return;
  await run.send({ operation: "updateShift", path: { shiftId }, json: updateOf(body) });
}
