import { parsePersonalNumber } from "../../contract/personal-number.ts";
import type { Shift } from "../../contract/shift.ts";
import { type Found, found, type Outcome, passed, skipped } from "../finding.ts";
import { personOf } from "../person.ts";
import type { Run } from "../run.ts";
import { assign, type Seat, seatOf, takeOff } from "../seat.ts";
import { readShiftOf, shiftBodyOf, shiftOf } from "../shift.ts";
import { type Exchange, isPlain, type Reply } from "../target.ts";
import type { Check } from "./check.ts";
import { confirmed, steadyRead } from "./confirm.ts";
import { fixtureShift } from "./fixture-shift.ts";
import { isDenied, refused } from "./refused.ts";
import { assignedTo, judgeUnasked } from "./unasked.ts";
import { judgeUnassignments } from "./unassignments.ts";

/** An assignment shows in the shift, is the same when it is repeated, and is taken back in each form that is offered. */
export const assignments: Check = { group: "meaning", run: check };

const TITLE = "an assignment shows in the shift";

async function* check(run: Run): AsyncGenerator<Outcome> {
  const fixture = await fixtureShift(run, "assignCandidate", TITLE);
  if ("kind" in fixture) return yield fixture;
  const seat = await seatOf(run);
  if ("missing" in seat) return yield skipped("skipped_not_prepared", "assignCandidate", TITLE, seat.missing);
  // The other checks may have left them on: what follows must be a first assignment.
  await takeOff(run, seat);
  const before = shiftOf(await steadyRead(run, seat.shiftId));
  if (!before)
    return yield skipped("skipped_after_failure", "assignCandidate", TITLE, "the shift cannot be read");
  try {
    const effect = await judgeAssign(run, seat, before);
    yield* effect;
    if (effect.some(({ kind }) => kind !== "passed")) return;
    yield* await judgeRepetition(run, seat);
    yield* judgeOtherShift(run, seat);
    yield* judgeUnassignments(run, seat, before);
  } finally {
    await takeOff(run, seat);
  }
}

/** The shift that may be cancelled is another one, and nobody was assigned to it. */
async function* judgeOtherShift(run: Run, { shiftId, candidateId }: Seat): AsyncGenerator<Outcome> {
  const { cancellableShiftId: otherId } = run.fixtures;
  if (otherId === undefined || otherId === shiftId || run.known.cancelled) return;
  const read = await readShiftOf(run, otherId);
  const other = shiftOf(read);
  if (!other) return;
  const expected = "the candidate in the shift that they were assigned to, and in no other";
  yield assignedTo(other).includes(candidateId)
    ? found("shift_changed_unasked", {
        ...{ operation: "assignCandidate", exchange: read, expected },
        actual: "the candidate is in another shift too",
      })
    : passed("assignCandidate", "an assignment is to one shift");
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
  skipped("skipped_after_failure", "assignCandidate", title, "what is needed for it failed");

function judgeListed(exchange: Reply, { candidateId }: Seat, now: Shift): Found[] {
  if (assignedTo(now).includes(candidateId)) return [];
  const actual = "not among assignedCandidates";
  return [found("assign_without_effect", { exchange, expected: "the candidate in the shift", actual })];
}

/** Variant B names the personal number of everybody who is assigned. */
async function judgeNumber(run: Run, { candidateId }: Seat, read: Exchange): Promise<Found[]> {
  const { number, candidateId: ours } = await personOf(run);
  const entry = shiftBodyOf(read)?.assignedCandidates.find(({ id }) => id === candidateId);
  const told = parsePersonalNumber(entry?.personalNumber ?? "");
  if (ours !== candidateId || told === undefined || told === number) return [];
  const actual = "another personal number";
  return [
    found("candidate_differs", {
      exchange: read,
      expected: "the personal number of who is assigned",
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
  const actual =
    times === 0 ? "the candidate is not there any more" : "the candidate is there more than once";
  const twice = found("assign_not_idempotent", { exchange, expected, actual });
  return confirmed(run, seat.shiftId, read, [twice]);
}
