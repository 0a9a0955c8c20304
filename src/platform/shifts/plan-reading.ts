import type { Outcome, Params } from "../../../generated/operations/types.ts";
import type { Refused, Unavailable } from "../../clients/provider/answer.ts";
import type { Shift } from "../../contract/shift.ts";
import { reportsChange, reportsDeletion } from "../../contract/shift-event.ts";
import { failureParams } from "../step.ts";
import { isAboutToken } from "./call-outcome.ts";
import type { Draft } from "./draft.ts";
import { awaitReturn, concludeAbsence, notePlausible, spread, unexplainedDeletes } from "./plan-absence.ts";
import { settleChanges, withConfirmed } from "./plan-changes.ts";
import { cancelJob, paramsOf } from "./plan-close.ts";
import { applyShift } from "./plan-job.ts";
import { doubtCancelRoute } from "./plan-routes.ts";
import type { EventState, Reading, RunSoFar } from "./state.ts";

/** Applies the response to a reading. Returns `witness` if another call has to confirm a 404. */
export function concludeReading(draft: Draft, reading: Reading, run: RunSoFar): "witness" | undefined {
  const { outcome } = reading;
  const covered = draft.state.events.filter(({ eventId }) => reading.covers.includes(eventId));
  switch (outcome.kind) {
    case "shift":
      concludeShift(draft, outcome.shift, reading, covered, run);
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

function concludeShift(
  draft: Draft,
  shift: Shift,
  reading: Reading,
  covered: readonly EventState[],
  run: RunSoFar,
) {
  const { traceId } = draft;
  const { warnings } = shift;
  const params = { variant: shift.variant, ...(warnings.length > 0 && { warnings }) };
  if (covered.length > 0)
    draft.step({ step: "fetch", code: "shift_read", params, traceId, durationMs: reading.durationMs });
  draft.patchShift({ nextReadAt: null });
  if (!shift.cancelled && returnsTooSoon(draft, covered)) return;
  const wasJustRead = draft.mayLag(draft.state.shift.readAt);
  draft.patchShift({ absences: 0, absentSince: null, goneAt: null, readAt: draft.now });
  notePlausible(draft);
  if (draft.state.integration.isHeld) draft.push({ write: "end_hold" });
  const isExpected = covered.some(({ event }) => !reportsDeletion(event));
  const codes = isExpected && draft.isLive ? [...RESOLVED, "delete_not_confirmed" as const] : RESOLVED;
  draft.resolveIssues(draft.subject, codes);
  if (shift.cancelled) {
    draft.patchShift({ rechecks: 0 });
    draft.endEvents(covered, "processed", cancelJob(draft, "provider", traceId));
    return awaitReturn(draft);
  }
  settleCancellation(draft, run);
  settleChanges(draft, shift);
  const deletes = unexplainedDeletes(covered);
  const verdict = applyShift(draft, withConfirmed(draft, shift), traceId);
  scheduleReading(draft, { verdict, wasJustRead, covered, deletes });
  endCovered(
    draft,
    covered.filter((event) => !deletes.includes(event)),
    verdict,
  );
}

/** Whether the shift was gone less than two minutes ago: a replica that lags may have shown it. Its events wait, and it is read again. */
function returnsTooSoon(draft: Draft, covered: readonly EventState[]): boolean {
  const { now, isLive, state } = draft;
  const { goneAt } = state.shift;
  if (goneAt === null || isLive || !draft.readAfter(goneAt)) return false;
  const params = { recheck: "reappeared", afterMs: (state.shift.nextReadAt ?? now) - now } as const;
  draft.endEvents(covered, "queued", { code: "will_recheck", params });
  return true;
}

/** Ends the covered events. The first has the verdict; the others name the event whose reading covered them. */
function endCovered(draft: Draft, [first, ...others]: readonly EventState[], verdict: Outcome): void {
  if (!first) return;
  const params = { event: first.event, traceId: first.traceId };
  draft.endEvents([first], "processed", verdict);
  draft.endEvents(others, "processed", { code: "covered_by", params });
}

/** A DELETE whose outcome is unknown was not carried out: the shift is still there. */
function settleCancellation(draft: Draft, run: RunSoFar): void {
  const { cancellation } = draft.state;
  if (!cancellation || cancellation.sentAt === null) return;
  doubtCancelRoute(draft, run);
  cancellation.sentAt = null;
  draft.push({ write: "operation", operationId: cancellation.operationId, patch: { sentAt: null } });
}

/** What was made of a reading that found the shift. */
interface Concluded {
  verdict: Outcome;
  /** Whether it was also read less than two minutes ago. */
  wasJustRead: boolean;
  covered: readonly EventState[];
  /** The deletions among them that no later event contradicts. */
  deletes: readonly EventState[];
}

/**
 * Plans the next reading: in an hour, or soon while the shift contradicts its events. One that differs from how it was just read is read soon too: either
 * reading may be of a replica that lags. A new event restarts the delays: it announces a change that the earlier readings cannot show.
 */
function scheduleReading(draft: Draft, { verdict, wasJustRead, covered, deletes }: Concluded) {
  const { rules, now, state } = draft;
  const isWatched = draft.isLive || draft.job?.cancelledBy === "employer";
  if (isWatched && !draft.hasStarted) draft.readAt(now + spread(rules.reconcileMs, state.shiftId));
  const isNews = covered.some(({ isUnread, isReplayed }) => isUnread && !isReplayed);
  const rechecks = isNews ? 0 : state.shift.rechecks;
  const isHinted = covered.some(({ event, isReplayed }) => reportsChange(event) && !isReplayed);
  const isDisputed = wasJustRead && verdict.code === "job_updated";
  const isUnshown = verdict.code === "job_unchanged" && (isHinted || rechecks > 0);
  const isContradicted = deletes.length > 0 || isDisputed || isUnshown;
  const afterMs = isContradicted ? draft.recheck(rechecks) : undefined;
  if (afterMs !== undefined) {
    const params = { recheck: "still_visible", afterMs } as const;
    return draft.endEvents(deletes, "queued", { code: "will_recheck", params });
  }
  draft.patchShift({ rechecks: 0 });
  if (deletes.length === 0) return;
  draft.issue("delete_not_confirmed", draft.subject, {}, deletes[0]?.traceId);
  draft.endEvents(deletes, "ignored", { code: "delete_not_confirmed", params: {} });
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
  if (!isAboutToken(refused))
    return concludeFault(draft, "provider_refused", paramsOf(refused), reading, covered);
  const { status } = refused;
  draft.pauseCalls(status);
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
