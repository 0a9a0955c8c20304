import { parsePersonalNumber } from "../../contract/personal-number.ts";
import type { Shift } from "../../contract/shift.ts";
import { assign, type FreeSeat, hasPlaced, isAssigned, type Seat, seatOf, takeOff } from "../assignment.ts";
import { standing } from "../cancellable-shift.ts";
import { type Exchange, isDenied, isPlain, type Reply } from "../exchange.ts";
import { type Found, found, type Outcome, passed, refused, skipped } from "../finding.ts";
import type { Run } from "../run.ts";
import { readShiftOf, shiftBodyOf, shiftOf } from "../shift.ts";
import { personOf } from "../test-candidates.ts";
import type { Check } from "./check.ts";
import { fixtureShift } from "./fixture-shift.ts";
import { confirmed, steadyRead } from "./steady-reads.ts";
import { judgeUnassignments } from "./unassignments.ts";
import { assignedTo, judgeUnasked } from "./unexpected-changes.ts";

/** An assignment appears in the shift, is idempotent, and can be undone with each form that is offered. */
export const assignments: Check = {
  ...{ group: "meaning", needs: ["shift", "update", "person", "seat", "cancellable"], gives: ["settled"] },
  ...{ holds: { shift: "changes" }, run: check },
};

const TITLE = "an assignment shows in the shift";

async function* check(run: Run): AsyncGenerator<Outcome> {
  const free = await seatOf(run);
  const fixture = "missing" in free ? await fixtureShift(run, "assignCandidate", TITLE) : undefined;
  if (fixture && "kind" in fixture) return yield fixture;
  if ("missing" in free) return yield skipped("skipped_not_prepared", "assignCandidate", TITLE, free.missing);
  const { seat } = free;
  const before = await withoutThem(run, free);
  if (!before)
    return yield skipped("skipped_after_failure", "assignCandidate", TITLE, "the shift cannot be read");
  try {
    const effect = await judgeAssign(run, seat, before);
    yield* effect;
    if (effect.some(({ kind }) => kind !== "passed")) return;
    const [repetition, other] = await Promise.all([judgeRepetition(run, seat), judgeOtherShift(run, seat)]);
    yield* [...repetition, ...other];
    if (repetition.some(({ kind }) => kind !== "passed") && (await isAssigned(run, seat)) !== true) {
      await takeOff(run, seat);
      await assign(run, seat);
    }
    yield* judgeUnassignments(run, seat, before);
  } finally {
    await takeOff(run, seat);
  }
}

/** Earlier checks may have left the candidate assigned: the next assignment must be the first. */
async function withoutThem(run: Run, { seat, shift }: FreeSeat): Promise<Shift | undefined> {
  if (!assignedTo(shift).includes(seat.candidateId)) return shift;
  await takeOff(run, seat);
  return shiftOf(await steadyRead(run, seat.shiftId));
}

/** Checks that the cancellable shift is unaffected, if no candidate was assigned to it. */
async function judgeOtherShift(run: Run, { shiftId, candidateId }: Seat): Promise<Outcome[]> {
  const other = standing(run);
  if (!other || other.shiftId === shiftId || hasPlaced(run, { shiftId: other.shiftId, candidateId }))
    return [];
  const read = await readShiftOf(run, other.shiftId);
  const shift = shiftOf(read);
  if (!shift) return [];
  if (!assignedTo(shift).includes(candidateId)) {
    return [passed("assignCandidate", "an assignment is to one shift")];
  }
  const expected = "the candidate in the shift of the assignment, and in no other";
  const actual = "the candidate is in another shift as well";
  return [found("shift_changed_unasked", { operation: "assignCandidate", exchange: read, expected, actual })];
}

async function judgeAssign(run: Run, seat: Seat, before: Shift): Promise<readonly Outcome[]> {
  const exchange = await assign(run, seat);
  if (!isPlain(exchange)) return [after(TITLE)];
  if (exchange.answer.status >= 400) return [refused(exchange, "200 with the acknowledgement")];
  if (isDenied(exchange)) return [after(TITLE)];
  const read = await readShiftOf(run, seat.shiftId);
  const now = shiftOf(read);
  if (!now) return [after(TITLE)];
  const wrong = await confirmed(run, seat.shiftId, read, [
    ...judgeListed(exchange, seat, now),
    ...judgeUnasked(exchange, before, now, { candidateId: seat.candidateId }),
    ...(await judgeNumber(run, seat, read)),
  ]);
  return wrong.length > 0 ? wrong : [passed("assignCandidate", TITLE)];
}

const after = (title: string) =>
  skipped("skipped_after_failure", "assignCandidate", title, "a prerequisite failed");

function judgeListed(exchange: Reply, { candidateId }: Seat, now: Shift): Found[] {
  if (assignedTo(now).includes(candidateId)) return [];
  const actual = "not among assignedCandidates";
  return [found("assign_without_effect", { exchange, expected: "the candidate in the shift", actual })];
}

/** Variant B includes the personal number of each assigned candidate. */
async function judgeNumber(run: Run, { candidateId }: Seat, read: Exchange): Promise<Found[]> {
  const { number, candidateId: ours } = await personOf(run);
  const entry = shiftBodyOf(read)?.assignedCandidates.find(({ id }) => id === candidateId);
  const told = parsePersonalNumber(entry?.personalNumber ?? "");
  if (ours !== candidateId || told === undefined || told === number) return [];
  const actual = "another personal number";
  return [
    found("candidate_differs", {
      exchange: read,
      expected: "the personal number of the assigned candidate",
      actual,
    }),
  ];
}

async function judgeRepetition(run: Run, seat: Seat): Promise<readonly Outcome[]> {
  const title = "the same assignment again changes nothing";
  const exchange = await assign(run, seat);
  if (!isPlain(exchange) || isDenied(exchange)) return [after(title)];
  const expected = "200, and the candidate in the shift once";
  if (exchange.answer.status >= 400) {
    return [
      found("assign_not_idempotent", { exchange, expected, actual: `status ${exchange.answer.status}` }),
    ];
  }
  const read = await readShiftOf(run, seat.shiftId);
  const now = shiftOf(read);
  if (!now) return [after(title)];
  const times = assignedTo(now).filter((id) => id === seat.candidateId).length;
  if (times === 1) return [passed("assignCandidate", title)];
  const actual = times === 0 ? "the candidate is no longer there" : "the candidate is listed more than once";
  const twice = found("assign_not_idempotent", { exchange, expected, actual });
  return confirmed(run, seat.shiftId, read, [twice]);
}
