import type { Shift } from "../../contract/shift.ts";
import { assign, FORMS, type Seat, unassignBy } from "../assignment.ts";
import { type Exchange, isDenied, isPlain } from "../exchange.ts";
import { type Found, found, type Outcome, passed, refused } from "../finding.ts";
import type { Run } from "../run.ts";
import { readShiftOf, shiftOf } from "../shift.ts";
import { confirmed } from "./steady-reads.ts";
import { assignedTo, judgeUnasked } from "./unexpected-changes.ts";

const TITLE = "two candidates are on a shift, and one of them is taken off";

/**
 * Candidates stay assigned when another is assigned or unassigned.
 * @param before the shift with the first of them on it
 */
export async function judgeTogether(
  run: Run,
  before: Shift,
  first: Seat,
  second: Seat,
): Promise<readonly Outcome[]> {
  const coming = await judgeCall(run, before, second, () => assign(run, second));
  if (coming === undefined || "findings" in coming) return coming?.findings ?? [];
  const going = await judgeGoing(run, coming.now, [first, second]);
  return going.length > 0 ? going : [passed("assignCandidate", TITLE)];
}

/** By each form that is offered: the first goes by one, comes back, and the second goes by the other. */
async function judgeGoing(run: Run, both: Shift, seats: readonly [Seat, Seat]): Promise<readonly Found[]> {
  const forms = (["put", "delete"] as const).filter((form) => run.known.offered.has(FORMS[form]));
  let before = both;
  for (const [index, form] of forms.entries()) {
    const seat = seats[index] ?? seats[0];
    const going = await judgeCall(run, before, seat, () => unassignBy(run, seat, form));
    if (!going || "findings" in going) return going?.findings ?? [];
    if (index + 1 === forms.length) break;
    const back = await judgeCall(run, going.now, seat, () => assign(run, seat));
    if (!back || "findings" in back) return back?.findings ?? [];
    before = back.now;
  }
  return [];
}

/** Returns undefined when there is nothing to judge. */
async function judgeCall(
  run: Run,
  before: Shift,
  seat: Seat,
  call: () => Promise<Exchange>,
): Promise<{ findings: readonly Found[] } | { now: Shift } | undefined> {
  const exchange = await call();
  if (!isPlain(exchange) || isDenied(exchange)) return undefined;
  if (exchange.answer.status >= 400) {
    return { findings: [refused(exchange, "200 or 204: there is a position free")] };
  }
  const read = await readShiftOf(run, seat.shiftId);
  const now = shiftOf(read);
  if (!now) return undefined;
  const wrong = [...judgeListed(exchange, seat, now), ...judgeUnasked(exchange, before, now, seat)];
  const findings = await confirmed(run, seat.shiftId, read, wrong);
  return findings.length > 0 ? { findings } : { now };
}

function judgeListed(exchange: Exchange, { candidateId }: Seat, now: Shift): Found[] {
  const isAssignment = exchange.probe.operation === "assignCandidate";
  if (!isAssignment || assignedTo(now).includes(candidateId)) return [];
  const actual = "not among assignedCandidates";
  return [found("assign_without_effect", { exchange, expected: "the candidate in the shift", actual })];
}
