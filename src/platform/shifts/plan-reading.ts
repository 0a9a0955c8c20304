import type { Outcome, Params } from "../../../generated/operations/types.ts";
import type { Refused, Unavailable } from "../../clients/provider/answer.ts";
import type { Shift } from "../../contract/shift.ts";
import { reportsChange, reportsDeletion } from "../../contract/shift-event.ts";
import { failureParams } from "../traces/step.ts";
import type { Draft } from "./draft.ts";
import { readLate } from "./plan-bookings.ts";
import { confirmChange, isAboutToken, isCertain, noteImplausible } from "./plan-calls.ts";
import { closeJob } from "./plan-close.ts";
import { applyShift } from "./plan-job.ts";
import type { EventState, Reading, RunSoFar } from "./state.ts";

/** Applies the response to a reading. Returns `witness` if another call has to confirm a 404. */
export function concludeReading(draft: Draft, reading: Reading, run: RunSoFar): "witness" | undefined {
  const { outcome } = reading;
  const covered = draft.state.events.filter(({ eventId }) => reading.covers.includes(eventId));
  switch (outcome.kind) {
    case "shift":
      concludeShift(draft, outcome.shift, reading, covered);
      return undefined;
    case "absent":
      return concludeAbsence(draft, reading, covered);
    case "unusable":
      concludeFault(draft, "shift_unusable", outcome.unusable, reading, covered);
      return undefined;
    case "refused":
      concludeRefusal(draft, outcome, reading, covered);
      return undefined;
    case "unavailable":
      concludeFailure(draft, outcome, reading, covered, run);
      return undefined;
  }
}

/** Issues that a successful reading resolves. */
const RESOLVED = ["shift_unusable", "provider_refused", "provider_gave_no_answer"] as const;

function concludeShift(draft: Draft, shift: Shift, reading: Reading, covered: readonly EventState[]) {
  const { traceId } = draft;
  const { warnings } = shift;
  const params = { variant: shift.variant, ...(warnings.length > 0 && { warnings }) };
  if (covered.length > 0)
    draft.step({ step: "fetch", code: "shift_read", params, traceId, durationMs: reading.durationMs });
  draft.patchShift({ absences: 0, absentSince: null, isGone: false, nextReadAt: null });
  draft.push({ write: "shift", patch: { isRead: true } });
  notePlausible(draft);
  if (draft.state.integration.isHeld) draft.push({ write: "end_hold" });
  const isExpected = covered.some(({ event }) => !reportsDeletion(event));
  const codes = isExpected ? [...RESOLVED, "delete_not_confirmed" as const] : RESOLVED;
  draft.resolveIssues(draft.subject, codes);
  if (shift.cancelled) {
    draft.patchShift({ rechecks: 0 });
    return draft.endEvents(covered, "processed", closeJob(draft, "provider", traceId));
  }
  concludeRequests(draft, shift);
  const deletes = unexplainedDeletes(covered);
  const verdict = applyShift(draft, shift, traceId);
  scheduleReading(draft, verdict.code === "job_unchanged", covered, deletes);
  endCovered(
    draft,
    covered.filter((event) => !deletes.includes(event)),
    verdict,
  );
}

function notePlausible(draft: Draft): void {
  if (draft.state.integration.health === "implausible") draft.push({ write: "health", health: "reachable" });
}

/** Ends the covered events. The first has the verdict; the others name the event whose reading covered them. */
function endCovered(draft: Draft, [first, ...others]: readonly EventState[], verdict: Outcome): void {
  if (!first) return;
  const params = { event: first.event, traceId: first.traceId };
  draft.endEvents([first], "processed", verdict);
  draft.endEvents(others, "processed", { code: "covered_by", params });
}

/** Settles calls whose outcome is unknown, now that the shift was read: a DELETE was not carried out, and a change is confirmed if the shift shows it. */
function concludeRequests(draft: Draft, shift: Shift): void {
  const { cancellation, changes } = draft.state;
  if (cancellation && cancellation.sentAt !== null) {
    cancellation.sentAt = null;
    draft.push({ write: "operation", operationId: cancellation.operationId, patch: { sentAt: null } });
  }
  for (const change of changes.filter(({ sentAt }) => sentAt !== null)) {
    const isShown =
      isSameMinute(Date.parse(shift.startTime), change.startTime) &&
      isSameMinute(Date.parse(shift.endTime), change.endTime) &&
      (shift.positions === change.positions || shift.warnings.includes("positions_missing"));
    if (isShown) confirmChange(draft, change);
    else draft.patchChange(change, { sentAt: null });
  }
}

/** Whether two times are equal to the minute. Many systems store whole minutes. */
const isSameMinute = (one: number, other: number): boolean => Math.abs(one - other) < 60_000;

/** Returns the deletions that no later event contradicts. */
function unexplainedDeletes(covered: readonly EventState[]): EventState[] {
  const last = covered.findLastIndex(({ event }) => !reportsDeletion(event));
  return covered.slice(last + 1);
}

/** Plans the next reading: soon while the shift contradicts its events, otherwise in an hour. */
function scheduleReading(
  draft: Draft,
  isUnchanged: boolean,
  covered: readonly EventState[],
  deletes: readonly EventState[],
) {
  const { rules, now, state } = draft;
  if (draft.isLive && !draft.hasStarted) draft.readAt(now + spread(rules.reconcileMs, state.shiftId));
  const { rechecks } = state.shift;
  const isHinted = covered.some(({ event, isReplayed }) => reportsChange(event) && !isReplayed);
  const isContradicted = deletes.length > 0 || (isUnchanged && (isHinted || rechecks > 0));
  const afterMs = isContradicted ? rules.recheckMs[rechecks] : undefined;
  if (afterMs !== undefined) {
    draft.patchShift({ rechecks: rechecks + 1 });
    draft.readAt(now + afterMs);
    const params = { recheck: "still_visible", afterMs } as const;
    return draft.endEvents(deletes, "queued", { code: "will_recheck", params });
  }
  draft.patchShift({ rechecks: 0 });
  if (deletes.length === 0) return;
  draft.issue("delete_not_confirmed", draft.subject, {}, deletes[0]?.traceId);
  draft.endEvents(deletes, "ignored", { code: "delete_not_confirmed", params: {} });
}

/** Spreads a delay by up to 10 %, so that shifts that arrived together are not read together. The same shift always gets the same delay. */
function spread(ms: number, shiftId: string): number {
  const sum = [...shiftId].reduce((total, character) => (total * 31 + character.charCodeAt(0)) % 997, 0);
  return Math.round(ms * (0.9 + (sum / 997) * 0.2));
}

/** What is known about a shift that the provider answers 404 for. */
interface Absence {
  /** An event that is no deletion reports the shift. */
  isExpected: boolean;
  isKnownGone: boolean;
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
  const isKnownGone = shift.isGone && !(isLive && job?.status !== "expired");
  const isAnnounced = unexplainedDeletes(covered).length > 0 || Boolean(cancellation?.consumedBy);
  const isFinal = outcome.final && outcome.code !== undefined;
  return {
    ...{ isKnownGone, isAnnounced },
    isExpected: covered.some(({ event, isReplayed }) => !reportsDeletion(event) && !isReplayed),
    isDeleted: covered.some(({ event }) => reportsDeletion(event)),
    isAsked: cancellation !== undefined && cancellation.sentAt !== null,
    isCertain: isCertain(outcome),
    isWitnessed: witness === "good",
    isPatient: !isFinal && !isAnnounced && !isKnownGone,
  };
}

/** Applies a 404. Absence needs two witnesses and, unless a deletion was announced, several readings: a read replica may lag. */
function concludeAbsence(
  draft: Draft,
  reading: Reading,
  covered: readonly EventState[],
): "witness" | undefined {
  const { outcome, witness, durationMs } = reading;
  if (outcome.kind !== "absent") return undefined;
  const absence = absenceOf(draft, outcome, witness, covered);
  if (absence.isPatient) beginAgain(draft, covered);
  const { isKnownGone, isAsked } = absence;
  if (absence.isPatient && waitsLonger(draft, covered)) return undefined;
  // A shift that is already known to be gone proves nothing about the provider.
  const isProven = absence.isCertain || absence.isWitnessed;
  if (!isProven && !isKnownGone) {
    if (witness === undefined) return "witness";
    return doubtProvider(draft);
  }
  if (isProven) notePlausible(draft);
  if (readsAgain(draft, absence, covered)) return undefined;
  if (!absence.isDeleted && !isAsked && !isKnownGone && isMassLoss(draft)) return hold(draft, covered);
  const { traceId } = draft;
  if (covered.length > 0) draft.step({ step: "fetch", code: "shift_absent", traceId, durationMs });
  draft.endEvents(covered, "processed", closeJob(draft, isAsked ? "employer" : "absence", traceId));
  awaitReturn(draft);
  if ((absence.isAnnounced || isKnownGone) && absence.isExpected) readLate(draft);
  return undefined;
}

/** An event that reports the shift after the first 404 has the same patience as one before it: the replica may not know it yet. */
function beginAgain(draft: Draft, covered: readonly EventState[]): void {
  const since = draft.state.shift.absentSince;
  if (since === null) return;
  const isReported = ({ event, receivedAt }: EventState) => !reportsDeletion(event) && receivedAt > since;
  if (covered.some((each) => !each.isReplayed && isReported(each)))
    draft.patchShift({ absences: 0, absentSince: null });
}

/** Whether the delay before the next reading is not over. It counts in time, not in readings: a hint or a failed call reads the shift earlier. */
function waitsLonger(draft: Draft, covered: readonly EventState[]): boolean {
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

/** Whether the shift is read once more before it is believed to be gone. */
function readsAgain(draft: Draft, absence: Absence, covered: readonly EventState[]): boolean {
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
  if (absence.isKnownGone || absence.isCertain || !isFirstWitness) return false;
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

/** Keeps reading a missing shift until its start: a shift that reappears reopens its job, even without a webhook. */
function awaitReturn(draft: Draft): void {
  const { job, now, rules, state } = draft;
  if (job?.cancelledBy !== "absence" || draft.hasStarted) return;
  draft.readAt(now + spread(rules.reconcileMs, state.shiftId));
}

/** More missing shifts than this, and more than a fifth of the known future shifts, are a loss of data rather than deletions. */
const MAX_MISSING = 5;

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

type Fault = { fault: NonNullable<Params["fault"]>; pointer: string };

/** Fails the covered events until the provider corrects the shift. The next event, or the periodic reading, reads it again. */
function concludeFault(
  draft: Draft,
  code: "shift_unusable" | "provider_refused",
  params: Fault | Params,
  { durationMs }: Reading,
  covered: readonly EventState[],
): void {
  const { traceId, now, rules, state } = draft;
  draft.issue(code, draft.subject, params);
  draft.step({ step: "fetch", code, params, traceId, durationMs });
  draft.endEvents(covered, "failed", { code, params });
  const nextReadAt = draft.isLive ? now + spread(rules.reconcileMs, state.shiftId) : null;
  draft.patchShift({ nextReadAt, rechecks: 0 });
}

function concludeRefusal(draft: Draft, refused: Refused, reading: Reading, covered: readonly EventState[]) {
  const { status, code } = refused;
  const params = { status, ...(code !== undefined && { providerCode: code }) };
  if (!isAboutToken(refused)) return concludeFault(draft, "provider_refused", params, reading, covered);
  draft.push({ write: "pause", status });
  draft.state.integration.isPaused = true;
  draft.readAt(draft.now);
  draft.endEvents(covered, "queued", { code: "integration_paused", params: { status } });
}

/** Schedules another attempt. After the last one, an issue asks an operator; the shift is still read each hour, and as soon as the provider responds. */
function concludeFailure(
  draft: Draft,
  failure: Unavailable,
  { durationMs }: Reading,
  covered: readonly EventState[],
  { attempts }: RunSoFar,
): void {
  const { traceId, rules } = draft;
  const params = { ...failureParams(failure), attempts };
  draft.readAt(draft.now);
  if (attempts <= rules.tries) draft.step({ step: "fetch", code: "will_retry", params, traceId, durationMs });
  const eventIds = covered.map(({ eventId }) => eventId);
  if (attempts < rules.tries) {
    if (covered.length > 0) {
      const verdict = { code: "will_retry", params } as const;
      draft.push({ write: "events", eventIds, status: "queued", verdict, attempts });
    }
    return;
  }
  draft.issue("provider_gave_no_answer", draft.subject, params);
  const dead = covered.filter(({ isDead }) => !isDead);
  const verdict = { code: "provider_unavailable", params } as const;
  const ended = { eventIds: dead.map(({ eventId }) => eventId), status: "dead", attempts } as const;
  draft.push({ write: "events", ...ended, verdict });
  for (const event of dead) draft.step({ step: "event", ...verdict, traceId: event.traceId });
}
