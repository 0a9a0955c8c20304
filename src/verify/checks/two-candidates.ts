import type { Shift } from "../../contract/shift.ts";
import { assign, FORMS, type Pair, unassignBy } from "../assignment.ts";
import type { Exchange } from "../exchange.ts";
import { type Found, type Outcome, passed, refused } from "../finding.ts";
import type { Run } from "../run.ts";
import { effectOf } from "./steady-reads.ts";
import { judgeListed, judgeUnasked } from "./unexpected-changes.ts";

const TITLE = "two candidates are assigned, and one of them is unassigned";

/**
 * Checks that candidates stay assigned when another one is assigned or unassigned.
 * @param before the shift with the first candidate
 */
export async function judgeTogether(
  run: Run,
  before: Shift,
  first: Pair,
  second: Pair,
): Promise<readonly Outcome[]> {
  const coming = await judgeCall(run, before, second, await assign(run, second));
  if (!coming.now) return coming.found;
  const going = await judgeGoing(run, coming.now, [first, second]);
  return going.length > 0 ? going : [passed("assignCandidate", TITLE)];
}

/** Unassigns with each offered form: the first candidate, who is then reassigned, and the second one with the other form. */
async function judgeGoing(run: Run, both: Shift, seats: readonly [Pair, Pair]): Promise<readonly Found[]> {
  const forms = (["put", "delete"] as const).filter((form) => run.known.offered.has(FORMS[form]));
  let before = both;
  for (const [index, form] of forms.entries()) {
    const pair = seats[index] ?? seats[0];
    const going = await judgeCall(run, before, pair, await unassignBy(run, pair, form));
    if (!going.now || index + 1 === forms.length) return going.found;
    const back = await judgeCall(run, going.now, pair, await assign(run, pair));
    if (!back.now) return back.found;
    before = back.now;
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
