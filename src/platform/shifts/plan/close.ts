import type { BookingReason, Outcome } from "../../../../generated/operations/types.ts";
import type { Rejection } from "../../db/schema.ts";
import { Draft, holdsSeat } from "./draft.ts";
import {
  type BookingState,
  isMaterialChange,
  type JobState,
  type MovedPerson,
  type Rules,
  type ShiftState,
} from "./state.ts";
import type { BookingPatch, Write } from "./writes.ts";

const REASON = { employer: "job_cancelled", provider: "shift_cancelled", absence: "shift_deleted" } as const;

/**
 * Cancels the job of a shift that is cancelled or gone. Once that is settled, the people booked are released and notified. When the shift is over, they stay
 * booked and are not notified: a provider that deletes a past shift does not cancel it.
 */
export function cancelJob(draft: Draft, by: NonNullable<JobState["cancelledBy"]>, traceId: string): Outcome {
  const { job, now, isSettled } = draft;
  draft.resolveIssues(draft.subject);
  if (isSettled) endRequests(draft, by);
  if (!job) return { code: "no_job", params: {} };
  const isOver = job.endTime <= now;
  const isCancelled = job.status === "cancelled";
  if (isOver && by !== "employer" && !isCancelled) return { code: "shift_over", params: {} };
  if (!isCancelled) draft.patchJob({ status: "cancelled", overfilled: false, cancelledBy: by });
  if (!isOver && isSettled) releaseAll(draft, REASON[draft.job?.cancelledBy ?? by], traceId);
  if (isCancelled) return { code: "already_cancelled", params: {} };
  draft.push({ write: "withdraw_offers" });
  draft.step({ step: "job", code: "job_cancelled", traceId });
  return { code: "job_cancelled", params: {} };
}

function endRequests(draft: Draft, by: NonNullable<JobState["cancelledBy"]>): void {
  endCancellation(draft, by);
  const reason = by === "employer" ? "job_cancelled" : "shift_gone";
  for (const change of [...draft.state.changes]) draft.patchChange(change, { status: "refused", reason });
}

/** Ends a cancellation, but keeps its operation if a DELETE was sent: the echo may still follow. */
function endCancellation(draft: Draft, by: JobState["cancelledBy"]): void {
  const { cancellation } = draft.state;
  if (!cancellation) return;
  const { operationId } = cancellation;
  if (cancellation.sentAt === null && by !== "employer")
    draft.push({ write: "forget_operation", operationId });
  else draft.push({ write: "operation", operationId, patch: { isConfirmed: true } });
  draft.state.cancellation = undefined;
}

function releaseAll(draft: Draft, reason: BookingReason, traceId: string): void {
  const moved = reason === REASON.employer ? [] : moveAll(draft);
  const left = draft.state.bookings.filter((booking) => !moved.includes(booking));
  const live = left.filter(holdsSeat);
  for (const booking of left) {
    const gone = presenceAfterRelease(booking, reason);
    if (holdsSeat(booking)) draft.patchBooking(booking, { ...gone, status: "released", reason });
    else if (booking.atProvider !== gone.atProvider) draft.patchBooking(booking, gone);
    // An unassignment that was confirmed at about the same time may have had no effect: should the shift return, its list shows it.
    if (draft.isWithinLag(booking.leftAt)) draft.patchBooking(booking, { leftAt: null });
  }
  const candidateIds = live.map(({ candidateId }) => candidateId);
  if (candidateIds.length === 0) return;
  const kind = "shift_cancelled";
  draft.push({ write: "notify", kind, candidateIds, changeKey: "", reason, traceId });
}

/** Moves the people whom another shift at the same time lists instead: the shift was created again, or split. Returns their bookings. */
function moveAll(draft: Draft): BookingState[] {
  const { job, state } = draft;
  return state.bookings.filter((booking) => {
    const to = movedTo(draft, booking);
    const isInstead = to && job && to.startTime < job.endTime && to.endTime > job.startTime;
    if (isInstead) moveBooking(draft, booking, to);
    return isInstead;
  });
}

/** Returns the shift to which the provider has moved a person that it knows to be booked. */
export function movedTo({ state }: Draft, booking: BookingState): MovedPerson | undefined {
  const { status, atProvider, isWithdrawn, candidateId } = booking;
  if (status !== "confirmed" || atProvider !== "yes" || isWithdrawn || state.cancellation) return undefined;
  return state.surroundings.moved?.find((person) => person.candidateId === candidateId);
}

/** Ends a booking in favour of one on another shift. The person is notified of what a person would read as a difference. */
export function moveBooking(draft: Draft, booking: BookingState, to: MovedPerson): void {
  const { job } = draft;
  const { candidateId, traceId } = booking;
  const { providerCandidateId, jobId, shiftId, otherJobId } = to;
  // No run waits for another one, and no one is notified of times that are not settled. A later reading moves the person.
  if (to.isBusy) {
    draft.readAt(draft.now + (draft.rules.ladderMs[1] ?? 0));
    return;
  }
  const reason = "moved_by_provider" as const;
  const reasonParams = { otherJobId: jobId };
  const off = { atProvider: "no", missingSince: null, sentAt: null } as const;
  draft.patchBooking(booking, { ...off, status: "released", reason, reasonParams });
  draft.resolveIssues(draft.bookingSubject(booking), RESOLVED);
  draft.step({ step: "booking", code: "booking_released", params: { reason, ...reasonParams }, traceId });
  const kind = job && isMaterialChange(job.announced ?? job, to) ? "shift_changed" : undefined;
  draft.push({ write: "book", candidateId, providerCandidateId, movedTo: { jobId, shiftId }, kind });
  if (otherJobId === null) return;
  draft.issue("booking_overlaps", { kind: "booking", shiftId, candidateId }, { otherJobId }, traceId);
}

/** Returns what is known of a person whose shift is gone. It may come back, unless the platform deleted it; its list then shows who is still assigned. */
function presenceAfterRelease({ atProvider }: BookingState, reason: BookingReason): BookingPatch {
  const mayReturn = reason !== REASON.employer && atProvider !== "no";
  return mayReturn
    ? { atProvider: "maybe", rejection: null }
    : { atProvider: "no", sentAt: null, rejection: null };
}

/** Issues that the end of a booking resolves. */
const RESOLVED = ["booking_overlaps", "competence_missing", "provider_gave_no_answer"] as const;

/** Ends a booking that holds a seat, and notifies the candidate. `patch` has what is known of the person at the provider. */
export function endBooking(
  draft: Draft,
  booking: BookingState,
  ended: { status: "released" | "failed"; reason: BookingReason; rejection?: Rejection | null },
  patch: BookingPatch,
): void {
  const { status, reason, rejection } = ended;
  const reasonParams = rejection ? paramsOf(rejection) : {};
  draft.patchBooking(booking, {
    ...patch,
    status,
    reason,
    reasonParams,
    rejection: null,
    missingSince: null,
  });
  if (booking.routeDoubt !== null) draft.patchBooking(booking, { routeDoubt: null });
  draft.resolveIssues(draft.bookingSubject(booking), RESOLVED);
  const code = status === "failed" ? "booking_failed" : "booking_released";
  draft.step({ step: "booking", code, params: { reason, ...reasonParams }, traceId: booking.traceId });
  notifyOfBooking(draft, booking, "booking_released", { reason });
}

/** Ends a booking for an operator, whatever the provider has: the next run asks it to take the person off. Returns the writes. */
export function endForOperator(state: ShiftState, candidateId: string, now: number, rules: Rules): Write[] {
  const draft = new Draft(state, { traceId: state.job?.traceId ?? "" }, now, rules);
  const booking = draft.state.bookings.find((each) => each.candidateId === candidateId && holdsSeat(each));
  if (!booking) return [];
  endBooking(draft, booking, { status: "released", reason: "ended_by_operator" }, {});
  return draft.writes;
}

export function notifyOfBooking(
  draft: Draft,
  { bookingId, candidateId, traceId }: BookingState,
  kind: "booking_confirmed" | "booking_released",
  { reason, isAgain = false }: { reason?: BookingReason; isAgain?: boolean } = {},
): void {
  const about = { candidateIds: [candidateId], changeKey: isAgain ? "" : bookingId, traceId };
  draft.push({ write: "notify", kind, ...about, ...(reason && { reason }) });
}

export const paramsOf = ({ status, code }: { status: number; code?: string | undefined }) => ({
  status,
  ...(code !== undefined && { providerCode: code }),
});
