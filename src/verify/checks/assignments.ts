import { parsePersonalNumber } from "../../contract/personal-number.ts";
import type { Shift } from "../../contract/shift.ts";
import { assign, type FreePair, freePair, isAssigned, type Pair, remove, wasTried } from "../assignment.ts";
import { uncancelled } from "../cancellable-shift.ts";
import { type Exchange, isDenied, isPlain } from "../exchange.ts";
import { type Found, found, type Outcome, passed, refused, skipped } from "../finding.ts";
import type { Run } from "../run.ts";
import { readShiftOf, shiftBodyOf, shiftOf } from "../shift.ts";
import { personOf } from "../test-candidates.ts";
import type { Check } from "./check.ts";
import { fixtureShift } from "./fixture-shift.ts";
import { confirmed, steadyRead } from "./steady-reads.ts";
import { judgeUnassignments } from "./unassignments.ts";
import { assignedTo, judgeListed, judgeUnasked } from "./unexpected-changes.ts";

/** An assignment appears in the shift, is idempotent, and can be undone with each offered form. */
export const assignments: Check = {
  group: "meaning",
  needs: ["shift", "update", "person", "assign", "cancellable"],
  gives: ["settled"],
  holds: { shift: "changes" },
  run: check,
};

const TITLE = "an assignment appears in the shift";

async function* check(run: Run): AsyncGenerator<Outcome> {
  const free = await freePair(run);
  const fixture = "missing" in free ? await fixtureShift(run, "assignCandidate", TITLE) : undefined;
  if (fixture && "kind" in fixture) return yield fixture;
  if ("missing" in free) return yield skipped("skipped_not_prepared", "assignCandidate", TITLE, free.missing);
  const { pair } = free;
  const before = await withoutThem(run, free);
  if (!before)
    return yield skipped("skipped_after_failure", "assignCandidate", TITLE, "the shift cannot be read");
  let isOff = false;
  try {
    const effect = await judgeAssign(run, pair, before);
    yield* effect;
    if (effect.some(({ kind }) => kind !== "passed")) return;
    const [repetition, other] = await Promise.all([judgeRepetition(run, pair), judgeOtherShift(run, pair)]);
    yield* [...repetition, ...other];
    if (repetition.some(({ kind }) => kind !== "passed") && (await isAssigned(run, pair)) !== true) {
      await remove(run, pair);
      await assign(run, pair);
    }
    isOff = yield* judgeUnassignments(run, pair, before);
  } finally {
    if (!isOff) await remove(run, pair);
  }
}

/** Returns the shift without the candidate: an earlier check may have assigned it. */
async function withoutThem(run: Run, { pair, shift }: FreePair): Promise<Shift | undefined> {
  if (!assignedTo(shift).includes(pair.candidateId)) return shift;
  await remove(run, pair);
  return shiftOf(await steadyRead(run, pair.shiftId));
}

/** Checks that the cancellable shift is unaffected, if no candidate was assigned to it. */
async function judgeOtherShift(run: Run, { shiftId, candidateId }: Pair): Promise<Outcome[]> {
  const other = uncancelled(run);
  if (!other || other.shiftId === shiftId || wasTried(run, { shiftId: other.shiftId, candidateId }))
    return [];
  const read = await readShiftOf(run, other.shiftId);
  const shift = shiftOf(read);
  if (!shift) return [];
  if (!assignedTo(shift).includes(candidateId)) {
    return [passed("assignCandidate", "an assignment affects one shift only")];
  }
  const expected = "the candidate assigned to one shift only";
  const actual = "the candidate is assigned to another shift as well";
  return [found("shift_changed_unasked", { operation: "assignCandidate", exchange: read, expected, actual })];
}

async function judgeAssign(run: Run, pair: Pair, before: Shift): Promise<readonly Outcome[]> {
  const exchange = await assign(run, pair);
  if (!isPlain(exchange)) return [after(TITLE)];
  if (exchange.answer.status >= 400) return [refused(exchange, "200 with the acknowledgement")];
  if (isDenied(exchange)) return [after(TITLE)];
  const read = await readShiftOf(run, pair.shiftId);
  const now = shiftOf(read);
  if (!now) return [after(TITLE)];
  const wrong = await confirmed(run, pair.shiftId, read, [
    ...judgeListed(exchange, pair, now),
    ...judgeUnasked(exchange, before, now, { candidateId: pair.candidateId }),
    ...(await judgeNumber(run, pair, read)),
  ]);
  return wrong.length > 0 ? wrong : [passed("assignCandidate", TITLE)];
}

const after = (title: string) =>
  skipped("skipped_after_failure", "assignCandidate", title, "a prerequisite failed");

/** Checks the personal number of the assigned candidate, which variant B includes. */
async function judgeNumber(run: Run, { candidateId }: Pair, read: Exchange): Promise<Found[]> {
  const { number, candidateId: testId } = await personOf(run);
  const entry = shiftBodyOf(read)?.assignedCandidates.find(({ id }) => id === candidateId);
  const listed = parsePersonalNumber(entry?.personalNumber ?? "");
  if (testId !== candidateId || listed === undefined || listed === number) return [];
  const actual = "another personal number";
  return [
    found("candidate_differs", {
      exchange: read,
      expected: "the personal number of the assigned candidate",
      actual,
    }),
  ];
}

async function judgeRepetition(run: Run, pair: Pair): Promise<readonly Outcome[]> {
  const title = "a repeated assignment changes nothing";
  const exchange = await assign(run, pair);
  if (!isPlain(exchange) || isDenied(exchange)) return [after(title)];
  const expected = "200, and the candidate listed once";
  if (exchange.answer.status >= 400) {
    return [
      found("assign_not_idempotent", { exchange, expected, actual: `status ${exchange.answer.status}` }),
    ];
  }
  const read = await readShiftOf(run, pair.shiftId);
  const now = shiftOf(read);
  if (!now) return [after(title)];
  const times = assignedTo(now).filter((id) => id === pair.candidateId).length;
  if (times === 1) return [passed("assignCandidate", title)];
  const actual =
    times === 0 ? "the candidate is no longer assigned" : "the candidate is listed more than once";
  const twice = found("assign_not_idempotent", { exchange, expected, actual });
  return confirmed(run, pair.shiftId, read, [twice]);
}
