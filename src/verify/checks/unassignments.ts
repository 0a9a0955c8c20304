import type { Shift } from "../../contract/shift.ts";
import { assign, FORMS, isAssigned, type Pair, unassignBy } from "../assignment.ts";
import type { Outcome } from "../finding.ts";
import type { Run } from "../run.ts";
import { afterFailure, effectOf, outcomesOf } from "./steady-reads.ts";
import { judgeListed, judgeUnasked } from "./unexpected-changes.ts";

/** Checks each offered form of unassignment (contract 4.2) with an assigned candidate. Returns whether the candidate is unassigned. */
export async function* judgeUnassignments(
  run: Run,
  pair: Pair,
  before: Shift,
): AsyncGenerator<Outcome, boolean> {
  // Earlier checks have confirmed the assignment.
  let isOff = false;
  for (const form of ["put", "delete"] as const) {
    if (!run.known.offered.has(FORMS[form])) continue;
    const isOn: boolean = isOff ? await assignAgain(run, pair) : true;
    const outcomes: readonly Outcome[] = isOn
      ? await judgeUnassign(run, pair, form, before)
      : [afterFailure(FORMS[form], TITLE)];
    yield* outcomes;
    isOff = outcomes.every(({ kind }) => kind === "passed") || (await isAssigned(run, pair)) === false;
  }
  return isOff;
}

async function assignAgain(run: Run, pair: Pair): Promise<boolean> {
  await assign(run, pair);
  return (await isAssigned(run, pair)) === true;
}

const TITLE = "an unassigned candidate is no longer listed";

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
  return outcomesOf(effect, FORMS[form], TITLE);
}
