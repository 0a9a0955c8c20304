import type { Shift as ShiftBody } from "../../../generated/provider/types.ts";
import { readShift, type Shift } from "../../contract/shift.ts";
import {
  assign,
  FORMS,
  type FreePair,
  freePair,
  isAssigned,
  otherCandidate,
  type Pair,
  remove,
  unassign,
  unassignBy,
} from "../assignment.ts";
import { type Exchange, isPlain } from "../exchange.ts";
import { found, type Outcome, type Place, passed, refused, skipped } from "../finding.ts";
import { restore } from "../restore.ts";
import type { Run } from "../run.ts";
import {
  assignedIds,
  hasStarted,
  NO_SHIFT,
  readShiftOf,
  STARTED,
  shiftBodyOf,
  shiftOf,
  updateOf,
} from "../shift.ts";
import type { Check } from "./check.ts";
import { confirmed, effectOf, isShownInTime, steadyRead } from "./steady-reads.ts";
import { assignedTo, judgeListed, judgeUnasked, TIMES_AND_POSITIONS } from "./unexpected-changes.ts";

/** Assigns two candidates to one shift, first without a position for the second one, then with one. */
export const fullShift: Check = {
  group: "meaning",
  needs: ["shift", "update", "person", "second", "assign"],
  gives: ["full", "settled"],
  holds: { shift: "changes" },
  run: check,
};

const TITLE = "more candidates than positions";

async function* check(run: Run): AsyncGenerator<Outcome> {
  const free = await fixturePair(run, TITLE);
  if ("kind" in free) return yield free;
  const secondId = await otherCandidate(run, assignedTo(free.shift));
  if (secondId === undefined) {
    const reason = "there are no two test candidates";
    return yield skipped("skipped_not_prepared", "assignCandidate", TITLE, reason);
  }
  const { pair, body } = free;
  const { shiftId } = pair;
  const second = { shiftId, candidateId: secondId };
  try {
    await assign(run, pair);
    yield* resize(run, pair, 0, () => oneMore(run, second));
    yield* resize(run, pair, 0, () => bothAtOnce(run, pair, second));
    yield* resize(run, pair, 1, (now) => judgeTogether(run, now, pair, second));
  } finally {
    await restore(run, { shiftId, before: run.known.shift ?? body });
  }
}

/**
 * Gives the shift the given number of free positions. If the update is accepted, it continues with `judgeResized`; other checks judge
 * a refusal. The update must not change the assigned candidates.
 */
async function* resize(
  run: Run,
  { shiftId, candidateId }: Pair,
  free: number,
  judgeResized: (now: Shift) => Promise<readonly Outcome[]>,
): AsyncGenerator<Outcome> {
  const first = await readWith(run, { shiftId, candidateId });
  const [body, before] = [shiftBodyOf(first), shiftOf(first)];
  const after = skipped("skipped_after_failure", "assignCandidate", TITLE, "the positions could not be set");
  if (!body || !before || !assignedTo(before).includes(candidateId)) return yield after;
  const slots = before.assigned.length + free;
  if (before.positions === slots) return yield* await judgeResized(before);
  const json = updateOf(body, { slots });
  const update = await run.send({ operation: "updateShift", path: { shiftId }, json });
  const read = await readShiftOf(run, shiftId);
  const now = shiftOf(read);
  if (!now || !isPlain(update) || update.answer.status >= 300) return yield after;
  const unasked = judgeUnasked(update, before, now, { fields: TIMES_AND_POSITIONS });
  yield* await confirmed(run, shiftId, read, unasked);
  if (now.positions === now.assigned.length + free) yield* await judgeResized(now);
  else yield after;
}

/** Reads the shift, and reassigns the first candidate if the second one replaced it. */
async function readWith(run: Run, pair: Pair): Promise<Exchange> {
  const read = await steadyRead(run, pair.shiftId);
  if (assignedIds(read)?.includes(pair.candidateId) !== false) return read;
  await assign(run, pair);
  return steadyRead(run, pair.shiftId);
}

/** Assigns one candidate too many. The provider may accept or refuse it, because the platform counts as well. */
async function oneMore(run: Run, second: Pair): Promise<Outcome[]> {
  const exchange = await assign(run, second);
  if (!isPlain(exchange))
    return [skipped("skipped_after_failure", "assignCandidate", TITLE, "there was no usable response")];
  const { status } = exchange.answer;
  if (status === 409) run.forms.full = "refused";
  if (status < 400) {
    run.forms.full = "accepted";
    const overbooked = await oneMoreStill(run, second);
    await remove(run, second);
    return [overbooked ?? passed("assignCandidate", `${TITLE}: accepted, because the platform counts`)];
  }
  if ((await isAssigned(run, second)) !== true) return [passed("assignCandidate", `${TITLE}: refused`)];
  await remove(run, second);
  const expected = "no candidate assigned by a refused assignment";
  const actual = "the refused candidate is assigned";
  return [found("shift_changed_unasked", { exchange, expected, actual })];
}

const AT_ONCE = "two candidates at once for one position";

/** Assigns two candidates at once to the last position: both may be accepted only by a provider that does not count. */
async function bothAtOnce(run: Run, first: Pair, second: Pair): Promise<Outcome[]> {
  await unassign(run, first);
  const exchanges = await Promise.all([first, second].map((pair) => assign(run, pair)));
  const accepted = exchanges.filter(isPlain).filter(({ answer }) => answer.status < 300);
  const ids = accepted.flatMap(({ probe }) => probe.path?.candidateId ?? []);
  let listed: readonly string[] | undefined;
  const isEachListed = async () => {
    listed = assignedIds(await readShiftOf(run, first.shiftId));
    return listed === undefined || ids.every((id) => listed?.includes(id));
  };
  const isShown = await isShownInTime(run, isEachListed);
  if (listed?.includes(second.candidateId) !== false) await remove(run, second);
  const [exchange] = accepted;
  if (!exchange || !exchanges.every(isPlain)) return [];
  const details = { exchange, expected: "one of them refused, or both listed", title: AT_ONCE };
  if (!isShown) {
    return [found("assign_without_effect", { ...details, actual: "one is acknowledged, and not listed" })];
  }
  if (accepted.length > 1 && run.forms.full === "refused") {
    return [found("overbooked", { ...details, actual: "both are assigned, though a full shift refuses" })];
  }
  return [passed("assignCandidate", AT_ONCE)];
}

/** Assigns another candidate. A provider that refuses only this one counts incorrectly. */
async function oneMoreStill(run: Run, { shiftId, candidateId }: Pair): Promise<Outcome | undefined> {
  const third = { shiftId, candidateId: run.fixtures.knownCandidateId ?? candidateId };
  if (third.candidateId === candidateId || (await isAssigned(run, third)) !== false) return undefined;
  const exchange = await assign(run, third);
  await remove(run, third);
  if (!isPlain(exchange) || exchange.answer.status !== 409) return undefined;
  const expected = "409 for the first candidate without a position, or for none";
  const actual = "the first one is assigned, and the second one refused";
  return found("overbooked", { exchange, expected, actual });
}

/** The fixture shift, for checks that change it. */
export interface FixtureShift {
  shiftId: string;
  body: ShiftBody;
  shift: Shift;
}

/** Returns the fixture shift, or the outcome of a check without one. @param title what cannot be checked without it */
export async function fixtureShift(
  run: Run,
  operation: Place,
  title: string,
  shiftId = run.fixtures.shiftId,
): Promise<FixtureShift | Outcome> {
  if (!run.mayChange) return skipped("skipped_read_only", operation, title, "it would change data");
  if (shiftId === undefined) return skipped("skipped_not_prepared", operation, title, NO_SHIFT);
  const body = shiftBodyOf(await steadyRead(run, shiftId));
  const shift = body && readShift(body, "UTC").shift;
  if (!body || !shift) return skipped("skipped_after_failure", operation, title, "the shift cannot be read");
  if (shiftId === run.fixtures.shiftId) run.known.shift ??= body;
  if (shift.cancelled) return skipped("skipped_not_prepared", operation, title, "the shift is cancelled");
  if (hasStarted(run, shift)) return skipped("skipped_not_prepared", operation, title, STARTED);
  return { shiftId, body, shift };
}

/** Returns a possible assignment to the fixture shift, or the outcome of a check without one. */
export async function fixturePair(run: Run, title: string): Promise<FreePair | Outcome> {
  const free = await freePair(run);
  if (!("missing" in free)) return free;
  const fixture = await fixtureShift(run, "assignCandidate", title);
  return "kind" in fixture
    ? fixture
    : skipped("skipped_not_prepared", "assignCandidate", title, free.missing);
}

const TWO_ASSIGNED = "two candidates are assigned, and one of them is unassigned";

/**
 * Checks that candidates stay assigned when another one is assigned or unassigned.
 * @param before the shift with the first candidate
 */
async function judgeTogether(
  run: Run,
  before: Shift,
  first: Pair,
  second: Pair,
): Promise<readonly Outcome[]> {
  const coming = await judgeCall(run, before, second, await assign(run, second));
  if (!coming.now) return coming.found;
  const going = await judgeGoing(run, coming.now, [first, second]);
  return going.length > 0 ? going : [passed("assignCandidate", TWO_ASSIGNED)];
}

/**
 * Unassigns each of the two, with each offered form: once as the one who was assigned first, and once as the last one. A provider that
 * always takes the first or the last one is right half of the time.
 */
async function judgeGoing(run: Run, both: Shift, [first, second]: readonly [Pair, Pair]) {
  const forms = (["put", "delete"] as const).filter((form) => run.known.offered.has(FORMS[form]));
  let before = both;
  for (const form of forms) {
    for (const pair of [first, first, second, second]) {
      const going = await judgeCall(run, before, pair, await unassignBy(run, pair, form));
      if (!going.now) return going.found;
      const back = await judgeCall(run, going.now, pair, await assign(run, pair));
      if (!back.now) return back.found;
      before = back.now;
    }
  }
  return [];
}

const judgeCall = (run: Run, before: Shift, pair: Pair, exchange: Exchange) =>
  effectOf(
    run,
    pair.shiftId,
    exchange,
    (reply, now) => [...judgeListed(reply, pair, now), ...judgeUnasked(reply, before, now, pair)],
    (reply) => refused(reply, "200 or 204: a position is free"),
  );
