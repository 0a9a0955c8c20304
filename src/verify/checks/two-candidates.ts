import type { Shift } from "../../contract/shift.ts";
import { assign, FORMS, type Pair, unassignBy } from "../assignment.ts";
import { type Exchange, isDenied, isPlain } from "../exchange.ts";
import { type Found, type Outcome, passed, refused } from "../finding.ts";
import type { Run } from "../run.ts";
import { readShiftOf, shiftOf } from "../shift.ts";
import { confirmed } from "./steady-reads.ts";
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
  const coming = await judgeCall(run, before, second, () => assign(run, second));
  if (coming === undefined || "findings" in coming) return coming?.findings ?? [];
  const going = await judgeGoing(run, coming.now, [first, second]);
  return going.length > 0 ? going : [passed("assignCandidate", TITLE)];
}

/** Unassigns with each offered form: the first candidate, who is then reassigned, and the second one with the other form. */
async function judgeGoing(run: Run, both: Shift, seats: readonly [Pair, Pair]): Promise<readonly Found[]> {
  const forms = (["put", "delete"] as const).filter((form) => run.known.offered.has(FORMS[form]));
  let before = both;
  for (const [index, form] of forms.entries()) {
    const pair = seats[index] ?? seats[0];
    const going = await judgeCall(run, before, pair, () => unassignBy(run, pair, form));
    if (!going || "findings" in going) return going?.findings ?? [];
    if (index + 1 === forms.length) break;
    const back = await judgeCall(run, going.now, pair, () => assign(run, pair));
    if (!back || "findings" in back) return back?.findings ?? [];
    before = back.now;
  }
  return [];
}

/** Returns undefined if there is nothing to judge. */
async function judgeCall(
  run: Run,
  before: Shift,
  pair: Pair,
  call: () => Promise<Exchange>,
): Promise<{ findings: readonly Found[] } | { now: Shift } | undefined> {
  const exchange = await call();
  if (!isPlain(exchange) || isDenied(exchange)) return undefined;
  if (exchange.answer.status >= 400) {
    return { findings: [refused(exchange, "200 or 204: a position is free")] };
  }
  const read = await readShiftOf(run, pair.shiftId);
  const now = shiftOf(read);
  if (!now) return undefined;
  const wrong = [...judgeListed(exchange, pair, now), ...judgeUnasked(exchange, before, now, pair)];
  const findings = await confirmed(run, pair.shiftId, read, wrong);
  return findings.length > 0 ? { findings } : { now };
}
