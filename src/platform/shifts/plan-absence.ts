import { reportsDeletion } from "../../contract/shift-event.ts";
import type { Draft } from "./draft.ts";
import { cancelJob } from "./plan-close.ts";
import { noteWorking } from "./plan-routes.ts";
import { type CallOutcome, type EventState, MAX_MISSING, type Reading } from "./state.ts";

/** What is known about a shift that the provider answers 404 for. */
interface Absence {
  /** An event that is no deletion reports the shift. */
  isExpected: boolean;
  isKnownGone: boolean;
  /** It is known to be gone, and no event says otherwise. */
  isOld: boolean;
  isDeleted: boolean;
  /** A deletion was reported and nothing since, or the platform's own cancellation was carried out. */
  isAnnounced: boolean;
  /** The platform asked for the deletion. */
  isAsked: boolean;
  /** The response itself leaves no doubt. */
  isCertain: boolean;
  /** Another call showed that the provider knows its other data. */
  isWitnessed: boolean;
  /** The shift is read several times before it is believed to be gone. */
  isPatient: boolean;
}

function absenceOf(
  { state, isLive }: Draft,
  outcome: Extract<Reading["outcome"], { kind: "absent" }>,
  witness: Reading["witness"],
  covered: readonly EventState[],
): Absence {
  const { cancellation, job, shift } = state;
  const isKnownGone = shift.goneAt !== null && !(isLive && job?.status !== "expired");
  const isAnnounced = unexplainedDeletes(covered).length > 0 || Boolean(cancellation?.consumedBy);
  const isExpected = covered.some(({ event, isReplayed }) => !reportsDeletion(event) && !isReplayed);
  const isFinal = outcome.final && outcome.code !== undefined;
  return {
    isExpected,
    isKnownGone,
    isAnnounced,
    isOld: isKnownGone && !isExpected,
    isDeleted: covered.some(({ event }) => reportsDeletion(event)),
    isAsked: cancellation !== undefined && cancellation.sentAt !== null,
    isCertain: isCertain(outcome),
    isWitnessed: witness === "good",
    isPatient: !isFinal && !isAnnounced && !isKnownGone,
  };
}

/** Applies a 404. Absence needs two witnesses and, unless a deletion was announced, several readings: a read replica may lag. */
export function concludeAbsence(
  draft: Draft,
  reading: Reading,
  covered: readonly EventState[],
): "witness" | undefined {
  const { outcome, witness, durationMs } = reading;
  if (outcome.kind !== "absent") return undefined;
  const absence = absenceOf(draft, outcome, witness, covered);
  if (absence.isPatient) restartAbsence(draft, covered);
  const { isKnownGone, isAsked } = absence;
  if (absence.isPatient && deferReading(draft, covered)) return undefined;
  const isProven = absence.isCertain || absence.isWitnessed;
  // The hourly reading needs no proof: the next one follows.
  if (!isProven && !(absence.isOld && awaitsReturn(draft))) {
    if (witness === undefined) return "witness";
    return doubtProvider(draft);
  }
  if (isProven) notePlausible(draft);
  if (planReread(draft, absence, covered)) return undefined;
  if (!absence.isDeleted && !isAsked && !isKnownGone && isMassLoss(draft)) return hold(draft, covered);
  const { traceId } = draft;
  if (covered.length > 0) draft.step({ step: "fetch", code: "shift_absent", traceId, durationMs });
  if (isAsked) noteWorking(draft, "cancelShift", traceId);
  draft.endEvents(covered, "processed", cancelJob(draft, isAsked ? "employer" : "absence", traceId));
  awaitReturn(draft);
  if ((absence.isAnnounced || isKnownGone) && absence.isExpected) draft.readLate();
  return undefined;
}

/** A new event about a missing shift restarts the wait: the replica may not know the shift yet. */
function restartAbsence(draft: Draft, covered: readonly EventState[]): void {
  const isReported = covered.some(
    ({ event, isReplayed, isUnread }) => isUnread && !isReplayed && !reportsDeletion(event),
  );
  if (isReported) draft.patchShift({ absences: 0, absentSince: null });
}

/** Defers the next reading until its delay is over. Returns false if it is. The delay counts in time, not in readings: a hint or a failed call reads the shift earlier. */
function deferReading(draft: Draft, covered: readonly EventState[]): boolean {
  const { rules, now, state } = draft;
  const { absences, absentSince } = state.shift;
  const waitedMs = rules.absenceRetriesMs.slice(0, absences).reduce((sum, ms) => sum + ms, 0);
  const leftMs = (absentSince ?? 0) + waitedMs - now;
  if (leftMs <= TOLERANCE_MS || state.integration.isHeld) return false;
  draft.patchShift({ nextReadAt: now + leftMs });
  recheck(draft, covered, leftMs);
  return true;
}

/** The provider denies what it has: the shift is read again until it does not. */
function doubtProvider(draft: Draft): undefined {
  const { rules, now, state } = draft;
  noteImplausible(draft);
  draft.patchShift({ absences: Math.min(state.shift.absences, rules.absenceRetriesMs.length) });
  draft.readAt(now);
}

/** Plans one more reading before the shift is believed to be gone. Returns false after the last. */
function planReread(draft: Draft, absence: Absence, covered: readonly EventState[]): boolean {
  const { rules, now, state } = draft;
  const { absences } = state.shift;
  const retriesMs = rules.absenceRetriesMs;
  const afterMs = retriesMs[absences];
  if (absence.isPatient && afterMs !== undefined) {
    const { missing, known } = state.surroundings.vanished;
    if (absences === 0 && missing === 1 && draft.isLive && !draft.hasStarted)
      draft.push({ write: "sample", count: Math.ceil(known / 5) + MAX_MISSING });
    noteAbsence(draft, absences + 1, now + afterMs);
    recheck(draft, covered, afterMs);
    return true;
  }
  // The outage may have ended between the 404 and the witness, so another 404 after a good witness is needed.
  const isFirstWitness = retriesMs.length > 0 && absences <= retriesMs.length;
  if (absence.isOld || absence.isCertain || !isFirstWitness) return false;
  noteAbsence(draft, retriesMs.length + 1, now);
  recheck(draft, covered, 0);
  return true;
}

/** How much the database and the process may differ about when a transaction began. Milliseconds. */
const TOLERANCE_MS = 20;

function noteAbsence(draft: Draft, absences: number, nextReadAt: number): void {
  draft.patchShift({ absences, absentSince: draft.state.shift.absentSince ?? draft.now, nextReadAt });
}

function recheck(draft: Draft, covered: readonly EventState[], afterMs: number): void {
  draft.endEvents(covered, "queued", { code: "will_recheck", params: { recheck: "absent", afterMs } });
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
  const { rules, now, state } = draft;
  const { missing, known } = state.surroundings.vanished;
  draft.push({ write: "hold", params: { count: missing, positions: known } });
  state.integration.isHeld = true;
  noteAbsence(draft, Math.max(1, state.shift.absences), now + spread(rules.reconcileMs, state.shiftId));
  draft.endEvents(covered, "queued", { code: "disappearance_held", params: { count: missing } });
}

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
const isCertain = ({ final, code }: Extract<CallOutcome, { kind: "absent" }>): boolean =>
  code === "shift_not_found" || (final && code !== undefined);

function noteImplausible(draft: Draft): void {
  draft.push({ write: "health", health: "implausible" });
  draft.state.integration.health = "implausible";
}

export function notePlausible(draft: Draft): void {
  if (draft.state.integration.health === "implausible") draft.push({ write: "health", health: "reachable" });
}
