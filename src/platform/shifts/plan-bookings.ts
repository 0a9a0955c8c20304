import type { BookingReason } from "../../../generated/operations/types.ts";
import type { OwnPerson, PersonFault, Rejection } from "../db/schema.ts";
import { type Draft, holdsSeat } from "./draft.ts";
import { endBooking, notifyOfBooking } from "./plan-close.ts";
import type { BookingState, Call } from "./state.ts";

/** Readings in a row that have to miss a person before that is believed: one of them may be stale. */
const MISSED = 3;

/** What the provider's list says of everyone whom the platform has booked: it decides what no call could tell. */
export function applyList(draft: Draft): void {
  for (const booking of draft.state.bookings) {
    if (isListed(draft, booking)) found(draft, booking);
    else if (booking.atProvider === "maybe") unlisted(draft, booking);
    else if (booking.atProvider === "yes" && booking.isListed) missed(draft, booking);
  }
}

function isListed({ state }: Draft, booking: BookingState): boolean {
  return state.surroundings.listed.some((entry) => isPerson(entry, booking));
}

/** A UUID is the same in either case (RFC 9562). Once a booking has ended, a person listed under another id was assigned by the provider. */
export function isPerson({ candidateId, providerCandidateId }: OwnPerson, booking: BookingState): boolean {
  const id = booking.providerCandidateId ?? booking.person.id;
  if (id?.toLowerCase() === providerCandidateId.toLowerCase()) return true;
  return candidateId === booking.candidateId && (holdsSeat(booking) || id === null);
}

function found(draft: Draft, booking: BookingState) {
  const seen = { isListed: true, missing: 0, rejection: null } as const;
  if (booking.status === "pending" && booking.atProvider === "maybe" && !booking.isWithdrawn) {
    draft.step({ step: "assign", code: "seen_assigned", traceId: booking.traceId });
    return confirm(draft, booking, seen);
  }
  // Of a booking that ended a short while ago in doubt: the person is there because of the platform.
  const isOurs = booking.atProvider !== "no" || booking.sentAt !== null;
  if (!isOurs || (booking.isListed && booking.atProvider === "yes" && booking.missing === 0)) return;
  draft.patchBooking(booking, { ...seen, atProvider: "yes" });
}

/** The outcome of a call was not known, and the person is not there. */
function unlisted(draft: Draft, booking: BookingState) {
  const { rejection, missing } = booking;
  if (rejection && missing + 1 < MISSED) return readOnceMore(draft, booking);
  if (rejection && holdsSeat(booking)) {
    const reason = reasonOf(rejection);
    endBooking(draft, booking, { status: "released", reason, rejection }, { atProvider: "no" });
    return readLate(draft);
  }
  if (booking.isWithdrawn && holdsSeat(booking)) {
    draft.step({ step: "unassign", code: "seen_unassigned", traceId: booking.traceId });
    endBooking(draft, booking, { status: "released", reason: "withdrawn" }, { atProvider: "no" });
    return readLate(draft);
  }
  draft.patchBooking(booking, { atProvider: "no", rejection: null, missing: 0 });
}

/** The call may still take effect, or the replica that was read may lag behind. */
export const readLate = (draft: Draft): void =>
  draft.readAt(draft.now + Math.max(0, ...draft.rules.recheckMs));

function readOnceMore(draft: Draft, booking: BookingState): void {
  const afterMs = draft.rules.recheckMs[booking.missing] ?? 0;
  draft.patchBooking(booking, { missing: booking.missing + 1 });
  draft.readAt(draft.now + afterMs);
}

/** The provider has taken off whom the platform had put on: assignments are the platform's, so it assigns once more. */
function missed(draft: Draft, booking: BookingState) {
  if (booking.missing + 1 < MISSED) return readOnceMore(draft, booking);
  const off = { atProvider: "no", isListed: false, missing: 0 } as const;
  if (!holdsSeat(booking)) return draft.patchBooking(booking, off);
  if (booking.isWithdrawn)
    return endBooking(draft, booking, { status: "released", reason: "withdrawn" }, off);
  if (booking.isReassigned)
    return endBooking(draft, booking, { status: "released", reason: "removed_by_provider" }, off);
  draft.patchBooking(booking, { ...off, isReassigned: true });
}

/** What the confirmation of a booking settles. */
const SETTLED = [
  ...(["booking_failed", "candidate_ambiguous", "provider_refused", "unassign_failed"] as const),
  "provider_gave_no_answer" as const,
];

export function confirm(draft: Draft, booking: BookingState, seen: { isListed?: true } = {}) {
  const isNews = booking.status === "pending";
  const isKept = booking.isWithdrawn;
  draft.patchBooking(booking, {
    ...{ ...seen, status: "confirmed", atProvider: "yes", reason: null, rejection: null, missing: 0 },
    isWithdrawn: false,
  });
  if (isNews || isKept) notifyOfBooking(draft, booking, "booking_confirmed");
  if (isNews) draft.resolveIssues(draft.bookingSubject(booking), SETTLED);
}

/** 404, 409, 410 and 422 are about this shift or this person; the code says which, where there is one. */
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

/** The next call for a booking, or what can be said without one; undefined when every booking is as it should be. */
export function nextForBookings(draft: Draft, failed: ReadonlySet<string>): Call | undefined {
  for (const booking of [...draft.state.bookings]) {
    const call = draft.hasStarted ? afterStart(draft, booking) : nextFor(draft, booking);
    if (call && !failed.has(booking.bookingId)) return call;
  }
  return undefined;
}

function nextFor(draft: Draft, booking: BookingState): Call | undefined {
  if (booking.atProvider === "maybe" || handOver(draft, booking)) return undefined;
  const isWanted = holdsSeat(booking) && !booking.isWithdrawn;
  if (!isWanted) return takeOff(draft, booking);
  if (booking.atProvider === "yes") {
    if (booking.status === "pending") confirm(draft, booking);
    return undefined;
  }
  return draft.state.cancellation ? undefined : putOn(draft, booking);
}

/** The person has accepted again: whom an ended booking left on the provider's list is not taken off, and the new booking is read from it. */
function handOver(draft: Draft, booking: BookingState): boolean {
  if (holdsSeat(booking)) return false;
  const { candidateId, providerCandidateId, atProvider } = booking;
  const isNext = (other: BookingState) => other.candidateId === candidateId && holdsSeat(other);
  const next = draft.state.bookings.find(isNext);
  if (!next || atProvider === "no") return false;
  draft.patchBooking(booking, { atProvider: "no", sentAt: null });
  if (next.atProvider === "no") draft.patchBooking(next, { atProvider: "maybe", providerCandidateId });
  return true;
}

function takeOff(draft: Draft, booking: BookingState): Call | undefined {
  const providerCandidateId = booking.providerCandidateId ?? booking.person.id;
  if (booking.atProvider === "yes" && providerCandidateId !== null) {
    const { bookingId, traceId } = booking;
    return { do: "unassign", bookingId, providerCandidateId, isRetry: false, traceId };
  }
  if (holdsSeat(booking))
    endBooking(draft, booking, { status: "released", reason: "withdrawn" }, { atProvider: "no" });
  return undefined;
}

function putOn(draft: Draft, booking: BookingState): Call | undefined {
  const { person, bookingId, candidateId, traceId, sentAt } = booking;
  if (person.fault && person.fault.kind !== "forgotten") {
    failFor(draft, booking, person.fault);
    return undefined;
  }
  if (person.id === null) {
    draft.push({ write: "identify", candidateId, forget: false });
    return undefined;
  }
  return { do: "assign", bookingId, providerCandidateId: person.id, isRetry: sentAt !== null, traceId };
}

/** The provider cannot say who the person is, or does not accept the person. */
function failFor(draft: Draft, booking: BookingState, fault: Exclude<PersonFault, { kind: "forgotten" }>) {
  const { traceId } = booking;
  const subject = draft.bookingSubject(booking);
  if (fault.kind === "ambiguous") {
    draft.issue("candidate_ambiguous", subject, { count: fault.matches }, traceId);
    return endBooking(
      draft,
      booking,
      { status: "failed", reason: "candidate_ambiguous" },
      { atProvider: "no" },
    );
  }
  const reason = fault.code === "candidate_not_found" ? fault.code : "candidate_refused";
  draft.issue("provider_refused", subject, refusalOf(fault), traceId);
  endBooking(draft, booking, { status: "failed", reason, rejection: fault }, { atProvider: "no" });
}

const refusalOf = ({ status, code }: Rejection) => ({ status, ...(code && { providerCode: code }) });

/** Nothing is assigned or withdrawn after the start. What a reading after it has not settled is settled by it. */
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

/** The person is on the provider's shift, which has started: a withdrawal comes too late, and an operator is asked to settle it. */
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
