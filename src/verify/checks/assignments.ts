import { parsePersonalNumber } from "../../contract/personal-number.ts";
import type { Shift } from "../../contract/shift.ts";
import {
  assign,
  FORMS,
  type FreePair,
  isAssigned,
  type Pair,
  remove,
  unassignBy,
  wasTried,
} from "../assignment.ts";
import { uncancelled } from "../cancellable-shift.ts";
import type { Exchange, Reply } from "../exchange.ts";
import { type Found, found, type Outcome, passed, refused, skipped } from "../finding.ts";
import type { PreparedPerson, Run } from "../run.ts";
import { readShiftOf, shiftBodyOf, shiftOf } from "../shift.ts";
import { personOf } from "../test-candidates.ts";
import type { Check } from "./check.ts";
import { fixturePair } from "./full-shift.ts";
import { afterFailure, effectOf, outcomesOf, steadyRead } from "./steady-reads.ts";
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
  const free = await fixturePair(run, TITLE);
  if ("kind" in free) return yield free;
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
  if (!other || other.shiftId === shiftId) return [];
  const read = await readShiftOf(run, other.shiftId);
  const shift = shiftOf(read);
  // The replay of the contracts may have assigned the candidate during the read.
  if (!shift || wasTried(run, { shiftId: other.shiftId, candidateId })) return [];
  if (!assignedTo(shift).includes(candidateId)) {
    return [passed("assignCandidate", "an assignment affects one shift only")];
  }
  const expected = "the candidate assigned to one shift only";
  const actual = "the candidate is assigned to another shift as well";
  return [found("shift_changed_unasked", { operation: "assignCandidate", exchange: read, expected, actual })];
}

async function judgeAssign(run: Run, pair: Pair, before: Shift): Promise<readonly Outcome[]> {
  const person = await personOf(run);
  const effect = await effectOf(
    run,
    pair.shiftId,
    await assign(run, pair),
    (exchange, now, read) => [
      ...judgeListed(exchange, pair, now),
      ...judgeUnasked(exchange, before, now, { candidateId: pair.candidateId }),
      ...judgeNumber(person, pair, read),
    ],
    (exchange) => refused(exchange, "200 with the acknowledgement"),
  );
  return outcomesOf(effect, "assignCandidate", TITLE);
}

/** Checks the personal number of the assigned candidate, which variant B includes. */
function judgeNumber(person: PreparedPerson, { candidateId }: Pair, read: Exchange): Found[] {
  const entry = shiftBodyOf(read)?.assignedCandidates.find(({ id }) => id === candidateId);
  const listed = parsePersonalNumber(entry?.personalNumber ?? "");
  if (person.candidateId !== candidateId || listed === undefined || listed === person.number) return [];
  const expected = "the personal number of the assigned candidate";
  return [found("candidate_differs", { exchange: read, expected, actual: "another personal number" })];
}

async function judgeRepetition(run: Run, pair: Pair): Promise<readonly Outcome[]> {
  const twice = (exchange: Reply, actual: string) =>
    found("assign_not_idempotent", { exchange, expected: "200, and the candidate listed once", actual });
  const effect = await effectOf(
    run,
    pair.shiftId,
    await assign(run, pair),
    (exchange, now) => {
      const times = assignedTo(now).filter((id) => id === pair.candidateId).length;
      if (times === 1) return [];
      return [
        twice(exchange, `the candidate is ${times === 0 ? "no longer assigned" : "listed more than once"}`),
      ];
    },
    (exchange) => twice(exchange, `status ${exchange.answer.status}`),
  );
  return outcomesOf(effect, "assignCandidate", "a repeated assignment changes nothing");
}

/** Checks each offered form of unassignment (contract 4.2) with an assigned candidate. Returns whether the candidate is unassigned. */
async function* judgeUnassignments(run: Run, pair: Pair, before: Shift): AsyncGenerator<Outcome, boolean> {
  // Earlier checks have confirmed the assignment.
  let isOff = false;
  for (const form of ["put", "delete"] as const) {
    if (!run.known.offered.has(FORMS[form])) continue;
    const isOn: boolean = isOff ? await assignAgain(run, pair) : true;
    const outcomes: readonly Outcome[] = isOn
      ? await judgeUnassign(run, pair, form, before)
      : [afterFailure(FORMS[form], UNASSIGNED)];
    yield* outcomes;
    isOff = outcomes.every(({ kind }) => kind === "passed") || (await isAssigned(run, pair)) === false;
  }
  return isOff;
}

async function assignAgain(run: Run, pair: Pair): Promise<boolean> {
  await assign(run, pair);
  return (await isAssigned(run, pair)) === true;
}

const UNASSIGNED = "an unassigned candidate is no longer listed";

async function judgeUnassign(
  run: Run,
  pair: Pair,
  form: "put" | "delete",
  before: Shift,
): Promise<readonly Outcome[]> {
  const effect = await effectOf(run, pair.shiftId, await unassignBy(run, pair, form), (exchange, now) => [
    ...judgeListed(exchange, pair, now),
    ...judgeUnasked(exchange, before, now, { candidateId: pair.candidateId }),
  ]);
  // Any status below 500 is right here. The judge reports the others.
  if (effect.now) await unassignBy(run, pair, form);
  return outcomesOf(effect, FORMS[form], UNASSIGNED);
}
