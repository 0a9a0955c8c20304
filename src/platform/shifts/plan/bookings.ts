import type { BookingReason } from "../../../../generated/operations/types.ts";
import type { Rejection } from "../../db/schema.ts";
import { type FinalFault, isFinal } from "../../people/plan.ts";
import { endBooking, notifyOfBooking, paramsOf } from "./close.ts";
import { type Draft, holdsSeat } from "./draft.ts";
import { awaitsShift, isLookedUp, isTaken } from "./routes.ts";
import { isSameId } from "./seen.ts";
import type { BookingState, Call } from "./state.ts";
import type { BookingPatch } from "./writes.ts";

/** Issues that the confirmation of a booking resolves. */
const RESOLVED = [
  ...(["booking_failed", "candidate_ambiguous", "candidate_id_shared", "assigned_as_another"] as const),
  ...(["provider_refused", "unassign_failed", "provider_gave_no_answer"] as const),
];

export function confirm(
  draft: Draft,
  booking: BookingState,
  seen: Pick<BookingPatch, "missingSince" | "soughtIds" | "mayActLate" | "providerCandidateId"> = {},
) {
  const isPending = booking.status === "pending";
  const isRestored = !holdsSeat(booking);
  const isKept = booking.isWithdrawn;
  draft.patchBooking(booking, {
    ...seen,
    status: "confirmed",
    atProvider: "yes",
    reason: null,
    rejection: null,
    isWithdrawn: false,
    routeDoubt: null,
    ...(isPending && { isReassigned: false }),
  });
  if (isPending || isKept) notifyOfBooking(draft, booking, "booking_confirmed");
  if (isRestored) notifyOfBooking(draft, booking, "booking_confirmed", { isAgain: true });
  if (isPending || isRestored) draft.resolveIssues(draft.bookingSubject(booking), RESOLVED);
}

/** Returns why the provider rejected an assignment. 404, 409, 410, and 422 are about the shift or the person; the code shows which. */
export function reasonOf({ code }: Rejection): BookingReason {
  switch (code) {
    case "shift_full":
    case "shift_cancelled":
    case "shift_started":
    case "shift_not_found":
    case "candidate_not_found":
      return code;
    default:
      return "assignment_refused";
  }
}

/** Whether the provider refused an assignment in the current state of the shift, for a reason that the contract does not have. */
export const isOddConflict = (rejection: Rejection): boolean =>
  rejection.status === 409 && rejection.code !== undefined && reasonOf(rejection) === "assignment_refused";

/** Returns the next call for a booking, and applies what needs no call. Returns undefined once every booking is as desired. */
export function nextForBookings(draft: Draft, failed: ReadonlySet<string>): Call | undefined {
  for (const booking of [...draft.state.bookings]) {
    concludeIdentity(draft, booking);
    const call = draft.hasStarted ? afterStart(draft, booking) : nextFor(draft, booking);
    if (call && !failed.has(booking.bookingId)) return call;
  }
  return undefined;
}

function nextFor(draft: Draft, booking: BookingState): Call | undefined {
  if (booking.atProvider === "maybe" || handOverToNext(draft, booking)) return undefined;
  const isWanted = holdsSeat(booking) && !booking.isWithdrawn;
  if (!isWanted) return unassign(draft, booking);
  if (booking.atProvider === "yes") {
    if (booking.status === "pending") confirm(draft, booking);
    return undefined;
  }
  return draft.state.cancellation ? undefined : assign(draft, booking);
}

/**
 * Ends the doubt about someone whom the provider has assigned under another id, once they have been looked up: it is theirs if the look-up has found it alone
 * (decisions, "people whom the provider merges"). No one is looked up after the start.
 */
function concludeIdentity(draft: Draft, booking: BookingState) {
  const { rejection, atProvider, candidateId, person } = booking;
  const assignedAs = rejection?.assignedAs;
  if (assignedAs === undefined || atProvider !== "maybe") return;
  if (isLookedUp(booking) && !draft.hasStarted)
    return draft.push({ write: "identify", candidateId, forget: false });
  const isTheirs = isSameId(person.id, assignedAs) && person.fault === null;
  if (!isTheirs || isTaken(draft.state, booking, assignedAs))
    return refuseIdentity(draft, booking, assignedAs);
  const found = { providerCandidateId: assignedAs, rejection: null, routeDoubt: null };
  if (holdsSeat(booking) && !booking.isWithdrawn) confirm(draft, booking, found);
  else draft.patchBooking(booking, { ...found, atProvider: "yes" });
}

/** The one who is on the shift is not the person, as far as the provider says. A list may show that the person is on it as well. */
function refuseIdentity(draft: Draft, booking: BookingState, providerCandidateId: string) {
  const { rejection, traceId } = booking;
  draft.issue("assigned_as_another", draft.bookingSubject(booking), { providerCandidateId }, traceId);
  if (!holdsSeat(booking)) return draft.patchBooking(booking, { rejection: null, routeDoubt: null });
  endBooking(draft, booking, { status: "failed", reason: "assignment_refused", rejection }, {});
}

/** The person has accepted again: the ended booking does not unassign them, and the new booking is settled by the provider's list. */
function handOverToNext(draft: Draft, booking: BookingState): boolean {
  if (holdsSeat(booking)) return false;
  const { candidateId, providerCandidateId, atProvider } = booking;
  const isNext = (other: BookingState) => other.candidateId === candidateId && holdsSeat(other);
  const next = draft.state.bookings.find(isNext);
  if (!next || atProvider === "no") return false;
  draft.patchBooking(booking, { atProvider: "no", sentAt: null });
  if (next.atProvider === "no") draft.patchBooking(next, { atProvider: "maybe", providerCandidateId });
  return true;
}

function unassign(draft: Draft, booking: BookingState): Call | undefined {
  const { person, providerCandidateId: lastId, routeDoubt } = booking;
  if (booking.atProvider === "yes" && routeDoubt !== null && isLookedUp(booking)) {
    // The look-up ends unfinished when the shift seems to have started.
    draft.push({ write: "identify", candidateId: booking.candidateId, forget: false });
    return undefined;
  }
  // The provider may have merged the person into another one since the last call.
  const providerCandidateId = routeDoubt === null ? (lastId ?? person.id) : (person.id ?? lastId);
  if (booking.atProvider === "yes" && providerCandidateId !== null) {
    const { bookingId, traceId } = booking;
    return { do: "unassign", bookingId, providerCandidateId, isRetry: false, traceId };
  }
  if (holdsSeat(booking))
    endBooking(draft, booking, { status: "released", reason: "withdrawn" }, { atProvider: "no" });
  return undefined;
}

function assign(draft: Draft, booking: BookingState): Call | undefined {
  const { person, bookingId, candidateId, traceId, sentAt } = booking;
  if (person.fault && isFinal(person.fault)) {
    failBooking(draft, booking, person.fault);
    return undefined;
  }
  if (person.id === null) {
    draft.push({ write: "identify", candidateId, forget: false });
    return undefined;
  }
  if (awaitsShift(draft.state, booking)) return undefined;
  return { do: "assign", bookingId, providerCandidateId: person.id, isRetry: sentAt !== null, traceId };
}

/**
 * Fails a booking whose person the provider cannot identify, takes for another candidate, or does not accept. Unless a call may act late, only the provider
 * can put the person on the shift from now on.
 */
function failBooking(draft: Draft, booking: BookingState, fault: FinalFault) {
  const { traceId, candidateId } = booking;
  const subject = draft.bookingSubject(booking);
  const off = { atProvider: "no", sentAt: booking.mayActLate ? booking.sentAt : null } as const;
  const fail = (reason: BookingReason, rejection?: Rejection) =>
    endBooking(draft, booking, { status: "failed", reason, ...(rejection && { rejection }) }, off);
  switch (fault.kind) {
    case "ambiguous":
      draft.issue("candidate_ambiguous", subject, { count: fault.matches }, traceId);
      return fail("candidate_ambiguous");
    case "shared":
      draft.issue("candidate_id_shared", subject, {}, traceId);
      // The next accept asks the provider again.
      draft.push({ write: "identify", candidateId, forget: true });
      return fail("candidate_id_shared");
    case "refused":
      draft.issue("provider_refused", subject, paramsOf(fault), traceId);
      return fail(fault.code === "candidate_not_found" ? fault.code : "candidate_refused", fault);
  }
}

/** Ends what is in progress once the shift has started: nothing is assigned or withdrawn after the start. */
function afterStart(draft: Draft, booking: BookingState): undefined {
  if (booking.atProvider === "maybe") return undefined;
  if (booking.atProvider === "yes") return keepAfterStart(draft, booking);
  if (!holdsSeat(booking)) return undefined;
  const reason = booking.isWithdrawn
    ? "withdrawn"
    : booking.status === "pending"
      ? "shift_started"
      : "removed_by_provider";
  endBooking(draft, booking, { status: "released", reason }, {});
}

/** Keeps a person on a shift that has started. A withdrawal is too late, so an issue asks an operator. */
function keepAfterStart(draft: Draft, booking: BookingState): undefined {
  const isLate = booking.isWithdrawn || !holdsSeat(booking);
  if (!isLate) {
    if (booking.status === "pending") confirm(draft, booking);
    return undefined;
  }
  const off = { atProvider: "no", sentAt: null } as const;
  draft.issue("unassign_failed", draft.bookingSubject(booking), { reason: "shift_started" }, booking.traceId);
  if (holdsSeat(booking)) endBooking(draft, booking, { status: "released", reason: "shift_started" }, off);
  else draft.patchBooking(booking, off);
}
