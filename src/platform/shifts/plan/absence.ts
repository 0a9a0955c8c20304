import { reportsDeletion } from "../../../contract/shift.ts";
import { type Belief, GONE, type Seen } from "./believe.ts";
import { cancelJob } from "./close.ts";
import type { Draft } from "./draft.ts";
import { noteWorking } from "./routes.ts";
import { type EventState, MAX_MISSING, type Reading, type RunSoFar } from "./state.ts";

type Absent = Extract<Reading["outcome"], { kind: "absent" }>;

/** Applies a 404. Absence needs two witnesses and, unless a deletion was announced, several readings: a read replica may lag. */
export function concludeAbsence(
  draft: Draft,
  reading: Reading,
  covered: readonly EventState[],
  run: RunSoFar,
): "witness" | undefined {
  const { outcome, witness } = reading;
  if (outcome.kind !== "absent") return undefined;
  const { belief, state } = draft;
  const isExpected = covered.some(({ event, isReplayed }) => !reportsDeletion(event) && !isReplayed);
  const isOld = belief.version === GONE && !isExpected;
  const isProven = isCertain(outcome) || witness === "good" || run.isWitnessed === true;
  // The hourly reading needs no proof: the next one follows.
  if (!isProven && !(isOld && awaitsReturn(draft))) {
    if (witness === undefined) return "witness";
    return doubtProvider(draft);
  }
  if (isProven) notePlausible(draft);
  draft.countNotices(covered, reading);
  const isDeleted = covered.some(({ event }) => reportsDeletion(event));
  const isDeleteSent = state.cancellation !== undefined && state.cancellation.sentAt !== null;
  // The outage may have ended between the 404 and the witness, so another 404 after a good witness is needed.
  const isLate = !isOld && !isCertain(outcome) && !run.isWitnessed && draft.rules.ladderMs.length > 0;
  if (!isDeleted && !isDeleteSent && belief.version !== GONE && isMassLoss(draft))
    return isLate && !state.integration.isHeld
      ? missedAgain(draft, covered, draft.now, belief)
      : hold(draft, covered);
  const { verdict, nextReadAt } = draft.believe(seenGone(draft, outcome, covered));
  if (verdict === "kept") return missedAgain(draft, covered, nextReadAt ?? draft.now, belief);
  if (isLate) return missedAgain(draft, covered, draft.now, belief);
  concludeGone(draft, reading, covered, { isDeleteSent, nextReadAt });
  return undefined;
}

function seenGone({ state }: Draft, { final, code }: Absent, covered: readonly EventState[]): Seen {
  const isDeleted = unexplainedDeletes(covered).length > 0 || Boolean(state.cancellation?.consumedBy);
  const isFinal = final && code !== undefined;
  return { version: GONE, shown: null, isAnnounced: isDeleted || isFinal };
}

/** Reads the shift once more before it is believed to be gone. */
function missedAgain(draft: Draft, covered: readonly EventState[], at: number, before: Belief): undefined {
  const { state, now } = draft;
  const { missing, known } = state.surroundings.vanished;
  if (before.missingSince === null && missing === 1 && draft.isLive && !draft.hasStarted)
    draft.push({ write: "sample", count: Math.ceil(known / 5) + MAX_MISSING });
  const { notices, expected, basis, awaitsEcho } = draft.belief;
  const missingSince = before.missingSince ?? now;
  const belief = { ...before, notices, expected, basis, awaitsEcho, missingSince };
  draft.patchShift({ belief, nextReadAt: at });
  const params = { recheck: "absent", afterMs: at - now } as const;
  draft.endEvents(covered, "queued", { code: "will_recheck", params });
}

function concludeGone(
  draft: Draft,
  { durationMs }: Reading,
  covered: readonly EventState[],
  { isDeleteSent, nextReadAt }: { isDeleteSent: boolean; nextReadAt: number | undefined },
): void {
  const { traceId } = draft;
  draft.patchShift({ nextReadAt: null });
  if (covered.length > 0) draft.step({ step: "fetch", code: "shift_absent", traceId, durationMs });
  if (isDeleteSent) noteWorking(draft, "cancelShift", traceId);
  draft.endEvents(covered, "processed", cancelJob(draft, isDeleteSent ? "employer" : "absence", traceId));
  awaitReturn(draft);
  if (nextReadAt !== undefined) draft.readAt(nextReadAt);
}

/** The provider denies what it has: the shift is read again until it does not. */
function doubtProvider(draft: Draft): undefined {
  noteImplausible(draft);
  draft.readAt(draft.now);
}

/** Keeps reading a missing or cancelled shift until its start: one that comes back reopens its job, even without a webhook. */
export function awaitReturn(draft: Draft): void {
  const { now, rules, state } = draft;
  if (awaitsReturn(draft)) draft.readAt(now + spread(rules.reconcileMs, state.shiftId));
}

const awaitsReturn = ({ job, hasStarted }: Draft): boolean =>
  (job?.cancelledBy === "absence" || job?.cancelledBy === "provider") && !hasStarted;

function isMassLoss({ state, isLive, hasStarted }: Draft): boolean {
  if (!isLive || hasStarted) return false;
  if (state.integration.isHeld) return true;
  const { missing, known } = state.surroundings.vanished;
  return missing > MAX_MISSING && missing > known / 5;
}

/** Leaves the job unchanged until an operator confirms the loss or the shifts reappear. */
function hold(draft: Draft, covered: readonly EventState[]): undefined {
  const { now, state } = draft;
  const { missing, known } = state.surroundings.vanished;
  draft.push({ write: "hold", params: { count: missing, positions: known } });
  state.integration.isHeld = true;
  const missingSince = draft.belief.missingSince ?? now;
  const nextReadAt = nextWhileHeld(draft, missingSince);
  draft.patchShift({ belief: { ...draft.belief, missingSince }, nextReadAt });
  draft.endEvents(covered, "queued", { code: "disappearance_held", params: { count: missing } });
}

/** When a shift is read again that has been missing since then, or whose people have: after as long again, so that a hold soon ends after the loss. */
export const nextWhileHeld = ({ now, lag, rules, state }: Draft, since: number): number =>
  now + Math.min(Math.max(lag, now - since), spread(rules.reconcileMs, state.shiftId));

/** Returns the deletions that no later event contradicts. */
export function unexplainedDeletes(covered: readonly EventState[]): EventState[] {
  const last = covered.findLastIndex(({ event }) => !reportsDeletion(event));
  return covered.slice(last + 1);
}

/** Spreads a delay by up to 10 %, so that shifts that arrived together are not read together. The same shift always gets the same delay. */
export function spread(ms: number, shiftId: string): number {
  const sum = [...shiftId].reduce((total, character) => (total * 31 + character.charCodeAt(0)) % 997, 0);
  return Math.round(ms * (0.9 + (sum / 997) * 0.2));
}

/** Whether the response alone proves the absence: a 404 with the contract's code, or a 410 with a problem document. */
const isCertain = ({ final, code }: Absent): boolean =>
  code === "shift_not_found" || (final && code !== undefined);

function noteImplausible(draft: Draft): void {
  draft.push({ write: "health", health: "implausible" });
  draft.state.integration.isImplausible = true;
}

export function notePlausible(draft: Draft): void {
  if (draft.state.integration.isImplausible) draft.push({ write: "health", health: "reachable" });
}
