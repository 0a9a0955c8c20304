import type { Outcome, Params } from "../../../../generated/operations/types.ts";
import type { Refused, Unavailable } from "../../../clients/provider/answer.ts";
import { reportsDeletion, type Shift } from "../../../contract/shift.ts";
import { failureParams } from "../../step.ts";
import { awaitReturn, concludeAbsence, notePlausible, spread, unexplainedDeletes } from "./absence.ts";
import { GONE } from "./believe.ts";
import { isAboutToken } from "./call-outcome.ts";
import { endChanges, showsSent } from "./changes.ts";
import { cancelJob, paramsOf } from "./close.ts";
import type { Draft } from "./draft.ts";
import { applyShift } from "./job.ts";
import { doubtCancelRoute } from "./routes.ts";
import { seenOn } from "./seen.ts";
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
      return concludeAbsence(draft, reading, covered, run);
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
  draft.countNotices(covered, reading);
  const wasGone = draft.belief.version === GONE;
  const isAnnounced = shift.cancelled && unexplainedDeletes(covered).length > 0;
  const { verdict: believed, nextReadAt } = draft.believe({
    ...seenOn(draft, shift),
    isAnnounced,
    showsSent: showsSent(draft, shift),
  });
  notePlausible(draft);
  if (draft.state.integration.isHeld) draft.push({ write: "end_hold" });
  if (believed === "kept") return keepBelief(draft, covered, nextReadAt, wasGone);
  const isExpected = covered.some(({ event }) => !reportsDeletion(event));
  const codes = isExpected && draft.isLive ? [...RESOLVED, "delete_not_confirmed" as const] : RESOLVED;
  draft.resolveIssues(draft.subject, codes);
  if (shift.cancelled) {
    // A replica may show an earlier cancellation, and the platform's may come yet.
    if (draft.state.cancellation && draft.state.cancellation.sentAt !== null) draft.expectLateEffect();
    draft.endEvents(covered, "processed", cancelJob(draft, "provider", traceId));
    awaitReturn(draft);
    if (nextReadAt !== undefined) draft.readAt(nextReadAt);
    return;
  }
  settleCancellation(draft, run);
  endChanges(draft, shift);
  const deletes = unexplainedDeletes(covered);
  const verdict = applyShift(draft, shift, traceId);
  scheduleReading(draft, deletes, nextReadAt);
  endCovered(
    draft,
    covered.filter((event) => !deletes.includes(event)),
    verdict,
  );
}

/** The reading is older than what is believed: a replica lags. The people that it lists are as old, so nothing follows from it. */
function keepBelief(
  draft: Draft,
  covered: readonly EventState[],
  nextReadAt: number | undefined,
  wasGone: boolean,
): void {
  scheduleHourly(draft);
  awaitReturn(draft);
  const at = nextReadAt ?? draft.now;
  draft.readAt(at);
  const waiting = wasGone ? covered : unexplainedDeletes(covered);
  const params = { recheck: wasGone ? "reappeared" : "still_visible", afterMs: at - draft.now } as const;
  draft.endEvents(waiting, "queued", { code: "will_recheck", params });
  const { job } = draft;
  const others = covered.filter((event) => !waiting.includes(event));
  endCovered(draft, others, { code: "job_unchanged", params: job ? { jobStatus: job.status } : {} });
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

/** Plans the next reading: in an hour, or at the next rung. A deletion that the shift contradicts waits until the ladder has ended. */
function scheduleReading(draft: Draft, deletes: readonly EventState[], nextReadAt: number | undefined): void {
  scheduleHourly(draft);
  if (nextReadAt !== undefined) {
    draft.readAt(nextReadAt);
    const params = { recheck: "still_visible", afterMs: nextReadAt - draft.now } as const;
    draft.endEvents(deletes, "queued", { code: "will_recheck", params });
    return;
  }
  if (deletes.length === 0) return;
  draft.issue("delete_not_confirmed", draft.subject, {}, deletes[0]?.traceId);
  draft.endEvents(deletes, "ignored", { code: "delete_not_confirmed", params: {} });
}

function scheduleHourly(draft: Draft): void {
  const { rules, now, state } = draft;
  const isWatched = draft.isLive || draft.job?.cancelledBy === "employer";
  if (isWatched && !draft.hasStarted) draft.readAt(now + spread(rules.reconcileMs, state.shiftId));
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
  draft.patchShift({ nextReadAt });
}

function concludeRefusal(draft: Draft, refused: Refused, reading: Reading, covered: readonly EventState[]) {
  if (!isAboutToken(refused))
    return concludeFault(draft, "provider_refused", paramsOf(refused), reading, covered);
  const { status } = refused;
  draft.pauseCalls(status);
  draft.readAt(draft.now);
  draft.endEvents(covered, "queued", { code: "integration_paused", params: { status } }, { isRead: false });
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
      draft.push({ write: "events", eventIds, status: "queued", verdict, attempts, isRead: false });
    }
    return;
  }
  draft.issue("provider_gave_no_answer", draft.subject, params);
  const dead = covered.filter(({ isDead }) => !isDead);
  const verdict = { code: "provider_unavailable", params } as const;
  const ended = {
    eventIds: dead.map(({ eventId }) => eventId),
    status: "dead",
    attempts,
    isRead: false,
  } as const;
  draft.push({ write: "events", ...ended, verdict });
  for (const event of dead) draft.step({ step: "event", ...verdict, traceId: event.traceId });
}
