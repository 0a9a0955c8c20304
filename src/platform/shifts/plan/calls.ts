import type { Params } from "../../../../generated/operations/types.ts";
import type { Refused, Unavailable } from "../../../clients/provider/answer.ts";
import type { Rejection } from "../../db/schema.ts";
import { failureParams } from "../../step.ts";
import { GONE } from "./believe.ts";
import { confirm, isOddConflict, reasonOf } from "./bookings.ts";
import { hadNoEffect, isAboutToken, isMissingRoute } from "./call-outcome.ts";
import { concludeChange } from "./changes.ts";
import { cancelJob, endBooking, paramsOf } from "./close.ts";
import { type Draft, holdsSeat } from "./draft.ts";
import {
  doubtPerson,
  doubtRoute,
  doubtUnknown,
  isUnknownPerson,
  noteKnown,
  noteRoute,
  noteSought,
} from "./routes.ts";
import { isOnList, wasSought } from "./seen.ts";
import type { BookingState, Call, Made, RunSoFar } from "./state.ts";

type CallOf<Do extends Call["do"]> = Extract<Call, { do: Do }>;

/** Applies the response to a call. */
export function concludeCall(draft: Draft, made: Made, run: RunSoFar) {
  const { call, outcome } = made;
  if (outcome.kind === "unavailable") noteFailure(draft, made, outcome, run);
  if (outcome.kind === "refused" && isAboutToken(outcome)) pause(draft, made, outcome);
  // An attempt that was cut may take effect after this one.
  const changesShift = call.do === "cancel" || call.do === "change";
  if (changesShift && outcome.kind !== "unavailable" && run.attempts > 1) draft.expectLateEffect();
  switch (call.do) {
    case "assign":
      return concludeAssign(draft, call, made, run);
    case "unassign":
      return concludeUnassign(draft, call, made, run);
    case "cancel":
      return concludeCancel(draft, call, made);
    case "change":
      return concludeChange(draft, call, made);
  }
}

function pause(draft: Draft, { call, durationMs }: Made, { status }: Refused): void {
  const code = "integration_paused";
  draft.step({ step: call.do, code, params: { status }, traceId: call.traceId, durationMs });
  draft.pauseCalls(status);
}

function noteFailure(draft: Draft, { call, durationMs }: Made, failure: Unavailable, run: RunSoFar): void {
  // The first attempts are enough: a long outage must not fill the tables.
  if (run.attempts > draft.rules.tries) return;
  const params = { ...failureParams(failure), attempts: run.attempts };
  draft.step({ step: call.do, code: "will_retry", params, traceId: call.traceId, durationMs });
}

function concludeAssign(draft: Draft, call: CallOf<"assign">, made: Made, { attempts }: RunSoFar) {
  const booking = bookingOf(draft, call.bookingId);
  if (!booking) return;
  const { outcome, durationMs } = made;
  if (hadNoEffect(outcome)) {
    const patch = call.isRetry
      ? ({ atProvider: "maybe" } as const)
      : ({ atProvider: "no", sentAt: null } as const);
    return draft.patchBooking(booking, patch);
  }
  if (isMissingRoute(outcome)) {
    if (!call.isRetry) draft.patchBooking(booking, { atProvider: "no", sentAt: null });
    const { status = 404 } = outcome;
    if (doubtRoute(draft, call, booking, outcome, attempts) === "refused")
      refuseAssign(draft, call, booking, { kind: "refused", status, code: undefined }, durationMs);
    return;
  }
  noteRoute(draft, call, outcome);
  if (outcome.kind === "done") {
    draft.step({ step: "assign", code: "assigned", traceId: call.traceId, durationMs });
    draft.noteCalled();
    noteKnown(draft, booking, call.providerCandidateId);
    const isWanted = holdsSeat(booking) && !booking.isWithdrawn;
    return isWanted ? confirm(draft, booking) : draft.patchBooking(booking, { atProvider: "yes" });
  }
  if (outcome.kind !== "refused") return;
  if (outcome.assignedAs !== undefined) return doubtIdentity(draft, call, booking, outcome, durationMs);
  refuseAssign(draft, call, booking, outcome, durationMs);
}

/** The provider has put another one on the shift. It may have merged the person: a look-up shows whether that is their id now (`concludeIdentity`). */
function doubtIdentity(
  draft: Draft,
  { providerCandidateId, traceId }: CallOf<"assign">,
  booking: BookingState,
  refused: Refused,
  durationMs: number,
): void {
  draft.step({ step: "assign", code: "assigned", traceId, durationMs });
  draft.noteCalled();
  draft.patchBooking(booking, { rejection: rejectionOf(refused) });
  doubtPerson(draft, "assign", booking, providerCandidateId);
}

const rejectionOf = ({ status, code, assignedAs }: Refused): Rejection => ({
  status,
  ...(code !== undefined && { code }),
  ...(assignedAs !== undefined && { assignedAs }),
});

/** Statuses that mean that the shift or the person has changed since the last reading. */
const ABOUT_SHIFT = [404, 409, 410, 422];

function refuseAssign(
  draft: Draft,
  call: CallOf<"assign">,
  booking: BookingState,
  refused: Refused,
  durationMs: number,
) {
  const { status, code } = refused;
  const rejection = rejectionOf(refused);
  const { traceId } = call;
  draft.step({ step: "assign", code: "provider_refused", params: paramsOf(rejection), traceId, durationMs });
  // What the provider has in progress may have ended a second later.
  draft.readAt(draft.now + (isOddConflict(rejection) ? (draft.rules.ladderMs[0] ?? 0) : 0));
  if (call.isRetry) {
    if (!doubtUnknown(draft, call, booking, refused)) draft.patchBooking(booking, { rejection });
    return;
  }
  if (isUnknownPerson(refused) && !wasSought(booking, call.providerCandidateId)) {
    noteSought(draft, booking, call.providerCandidateId);
    draft.patchBooking(booking, { atProvider: "no", sentAt: null });
    draft.push({ write: "identify", candidateId: booking.candidateId, forget: true });
    booking.person.id = null;
    return;
  }
  // The provider may have put the person on the shift itself, in the last seat: the next reading decides.
  if (status === 409 && code !== "shift_cancelled" && code !== "shift_started")
    return draft.patchBooking(booking, { rejection, sentAt: null });
  if (ABOUT_SHIFT.includes(status) || booking.routeDoubt !== null) {
    const reason = reasonOf(rejection);
    return endBooking(
      draft,
      booking,
      { status: "released", reason, rejection },
      { atProvider: "no", sentAt: null },
    );
  }
  draft.issue("provider_refused", draft.bookingSubject(booking), paramsOf(rejection), traceId);
  // A contradictory success does not prove that no one was assigned.
  const atProvider = status < 300 ? "maybe" : "no";
  endBooking(draft, booking, { status: "failed", reason: "assignment_refused", rejection }, { atProvider });
}

function concludeUnassign(
  draft: Draft,
  call: CallOf<"unassign">,
  { outcome, durationMs }: Made,
  { attempts }: RunSoFar,
) {
  const booking = bookingOf(draft, call.bookingId);
  if (!booking) return;
  const { traceId } = call;
  if (hadNoEffect(outcome)) return draft.patchBooking(booking, { atProvider: "yes" });
  if (isMissingRoute(outcome)) return void doubtRoute(draft, call, booking, outcome, attempts);
  noteRoute(draft, call, outcome);
  const isRefused = outcome.kind === "refused";
  if (isRefused && doubtUnknown(draft, call, booking, outcome)) return;
  // Someone whom the provider does not know by any id is not on the shift.
  if (outcome.kind === "done" || (isRefused && outcome.code === "candidate_not_found")) {
    draft.step({ step: "unassign", code: "unassigned", traceId, durationMs });
    draft.noteCalled();
    // Not forgotten at once: an assignment before it, whose connection was cut, may take effect only now.
    const mayActLate = booking.mayActLate && draft.isWithinLag(booking.sentAt);
    const left = { leftAt: draft.now, mayActLate, missingSince: null, routeDoubt: null };
    const off = { ...left, atProvider: "no" } as const;
    draft.expectLateEffect();
    if (!holdsSeat(booking)) draft.patchBooking(booking, off);
    else endBooking(draft, booking, { status: "released", reason: "withdrawn" }, off);
    draft.resolveIssues(draft.bookingSubject(booking), ["unassign_failed"]);
    return;
  }
  if (!isRefused) return;
  // An assignment of unknown outcome was never confirmed, and no list has the person: the next one settles it.
  if (booking.status === "pending" && !isOnList(draft.state, booking)) {
    draft.patchBooking(booking, { atProvider: "maybe", routeDoubt: null });
    return draft.readAt(draft.now);
  }
  const params = paramsOf(outcome);
  draft.step({ step: "unassign", code: "booking_kept", params, traceId, durationMs });
  // The person is still on the shift, so an active booking stays. For one that has ended, the issue asks an operator.
  if (holdsSeat(booking)) confirm(draft, booking);
  else draft.patchBooking(booking, { atProvider: "no", sentAt: null });
  draft.issue("unassign_failed", draft.bookingSubject(booking), params, traceId);
  if (holdsSeat(booking)) draft.readAt(draft.now);
}

function concludeCancel(draft: Draft, call: CallOf<"cancel">, { outcome, durationMs }: Made): void {
  const { cancellation } = draft.state;
  const { traceId } = call;
  if (!cancellation) return;
  if (hadNoEffect(outcome)) {
    draft.push({ write: "operation", operationId: call.operationId, patch: { sentAt: null } });
    cancellation.sentAt = null;
    return;
  }
  noteRoute(draft, call, outcome);
  if (outcome.kind === "done" || outcome.kind === "absent") {
    draft.step({ step: "cancel", code: "cancellation_confirmed", traceId, durationMs });
    draft.noteCalled({ version: GONE, shown: null });
    draft.patchShift({ nextReadAt: null });
    cancelJob(draft, "employer", traceId);
  } else if (outcome.kind === "refused") giveUpCancellation(draft, paramsOf(outcome), durationMs);
  else if (isMissingRoute(outcome)) draft.readAt(draft.now);
}

/** Ends a cancellation that the provider refused. No echo follows, and an event that was skipped as an echo is processed after all. */
export function giveUpCancellation(draft: Draft, params: Params, durationMs?: number): void {
  const { cancellation } = draft.state;
  if (!cancellation) return;
  const { operationId, traceId, consumedBy } = cancellation;
  draft.push({ write: "forget_operation", operationId });
  if (consumedBy !== null) draft.push({ write: "requeue_echo", eventId: consumedBy });
  draft.issue("cancellation_refused", draft.subject, params, traceId);
  const duration = durationMs === undefined ? {} : { durationMs };
  draft.step({ step: "cancel", code: "cancellation_refused", params, traceId, ...duration });
  draft.state.cancellation = undefined;
  draft.state.echoes = draft.state.echoes.filter((id) => id !== operationId);
  draft.readAt(draft.now);
}

const bookingOf = ({ state }: Draft, bookingId: string) =>
  state.bookings.find((booking) => booking.bookingId === bookingId);
