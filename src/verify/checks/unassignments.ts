import type { Shift } from "../../contract/shift.ts";
import { assign, FORMS, isAssigned, type Pair, unassignBy } from "../assignment.ts";
import { isDenied, isPlain, type Reply } from "../exchange.ts";
import { type Found, found, type Outcome, passed, refused, skipped } from "../finding.ts";
import type { Run } from "../run.ts";
import { readShiftOf, shiftOf } from "../shift.ts";
import { confirmed } from "./steady-reads.ts";
import { assignedTo, judgeUnasked } from "./unexpected-changes.ts";

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
    const outcomes: readonly Outcome[] = isOn ? await judgeUnassign(run, pair, form, before) : [after(form)];
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

const after = (form: keyof typeof FORMS) =>
  skipped("skipped_after_failure", FORMS[form], TITLE, "a prerequisite failed");

async function judgeUnassign(
  run: Run,
  pair: Pair,
  form: "put" | "delete",
  before: Shift,
): Promise<readonly Outcome[]> {
  const exchange = await unassignBy(run, pair, form);
  if (!isPlain(exchange) || isDenied(exchange)) return [after(form)];
  if (exchange.answer.status >= 400) return [refused(exchange, "200 or 204")];
  const read = await readShiftOf(run, pair.shiftId);
  const now = shiftOf(read);
  if (!now) return [after(form)];
  const findings = [
    ...judgeGone(exchange, pair, now),
    ...judgeUnasked(exchange, before, now, { candidateId: pair.candidateId }),
  ];
  const wrong = await confirmed(run, pair.shiftId, read, findings);
  if (wrong.length > 0) return wrong;
  // Any status below 500 is right here. The judge reports the others.
  await unassignBy(run, pair, form);
  return [passed(FORMS[form], TITLE)];
}

function judgeGone(exchange: Reply, { candidateId }: Pair, now: Shift): Found[] {
  if (!assignedTo(now).includes(candidateId)) return [];
  const actual = "still among assignedCandidates";
  return [
    found("unassign_without_effect", { exchange, expected: "the candidate no longer assigned", actual }),
  ];
}
