import type { Shift } from "../../contract/shift.ts";
import { assign, FORMS, type Pair, unassignBy } from "../assignment.ts";
import type { Exchange } from "../exchange.ts";
import { type Outcome, passed, refused } from "../finding.ts";
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
