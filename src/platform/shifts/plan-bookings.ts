import type { BookingReason } from "../../../generated/operations/types.ts";
import type { Rejection } from "../db/schema.ts";
import { type FinalFault, isFinal } from "../people/plan.ts";
import { type Draft, holdsSeat } from "./draft.ts";
import { endBooking, moveBooking, movedTo, notifyOfBooking, paramsOf } from "./plan-close.ts";
import { awaitsShift, doubtPerson, lookUpAgain, settleRoute } from "./plan-routes.ts";
import { holdVanished, isOnList, isPerson } from "./plan-vanished.ts";
import type { BookingState, Call } from "./state.ts";

/** How many readings in a row must lack a person before the person counts as removed: one of them may be stale. */
export const MISSING_READINGS = 3;

/** Applies the provider's list to every booking. The list settles calls whose outcome is unknown. */
export function applyList(draft: Draft): void {
  const held = holdVanished(draft);
  for (const booking of draft.state.bookings) {
    if (held.includes(booking) || awaitsRestoring(draft, booking)) continue;
    if (isOnList(draft.state, booking)) applyListed(draft, booking);
    else if (awaitsLookUp(draft, booking)) continue;
    else if (booking.atProvider === "maybe") settleUnlisted(draft, booking);
    else if (booking.atProvider === "yes" && countsAsMissing(draft, booking)) applyRemoved(draft, booking);
  }
}

/** Whether the list should show the person: it has before, or other lists have shown others and the assignment is older than any replica. */
function countsAsMissing(draft: Draft, { isListed, sentAt }: BookingState): boolean {
  if (isListed) return true;
  return draft.state.integration.listsBooked && !draft.readAfter(sentAt);
}

/**
 * Whether a person who is not on the list is looked up again first: the list has an id of an unknown person, and the provider may have merged the booked one
 * under it. That is done once for each absence, and once for a booking that no list has shown; nothing is concluded before.
 */
function awaitsLookUp(draft: Draft, booking: BookingState): boolean {
  const { candidateId, atProvider, person, isLookedUpAgain } = booking;
  const hasStrangers = draft.state.surroundings.listed.some((entry) => entry.candidateId === undefined);
  const isUnderWay = person.id === null && !(person.fault && isFinal(person.fault));
  const isDoubted = isUnderWay && atProvider === "maybe" && booking.routeDoubt !== null;
  const mayBeMerged = hasStrangers && holdsSeat(booking) && atProvider !== "no";
  if ((!mayBeMerged && !isDoubted) || draft.hasStarted) return false;
  const isMissing = atProvider === "yes" && countsAsMissing(draft, booking);
  const isUnseen = atProvider === "yes" && !isMissing && !draft.readAfter(booking.sentAt);
  // The list may show under a new id the person who withdraws, or whose assignment was refused after one of unknown outcome.
  const isRefused = atProvider === "maybe" && booking.rejection !== null;
  if ((booking.isWithdrawn || isRefused) && !isLookedUpAgain && booking.routeDoubt === null) {
    draft.patchBooking(booking, { isLookedUpAgain: true });
    if (booking.isWithdrawn) doubtPerson(draft, "unassign", booking);
    else lookUpAgain(draft, booking);
    draft.readAt(draft.now + (draft.rules.ladderMs[0] ?? 0));
    return true;
  }
  if ((isMissing && booking.missing === 0) || (isUnseen && !isLookedUpAgain)) {
    if (isUnseen) draft.patchBooking(booking, { isLookedUpAgain: true });
    if (isUnseen) draft.readAt(draft.now + (draft.rules.ladderMs[0] ?? 0));
    lookUpAgain(draft, booking);
    return false;
  }
  if (!isUnderWay || !(isMissing || isUnseen || atProvider === "maybe")) return false;
  draft.push({ write: "identify", candidateId, forget: false });
  draft.readAt(draft.now + (draft.rules.ladderMs[MISSING_READINGS - 1] ?? 0));
  return true;
}

function applyListed(draft: Draft, booking: BookingState) {
  const mayActLate = booking.atProvider === "maybe" || (booking.atProvider === "yes" && booking.mayActLate);
  const seen = { isListed: true, missing: 0, rejection: null, mayActLate } as const;
  noteListed(draft);
  noteNewId(draft, booking);
  const isAwaited = booking.atProvider === "maybe" || isAssignedByProvider(draft, booking);
  if (booking.status === "pending" && isAwaited && !booking.isWithdrawn) {
    draft.step({ step: "assign", code: "seen_assigned", traceId: booking.traceId });
    return confirm(draft, booking, seen);
  }
  const isByPlatform = booking.atProvider !== "no" || isLateEffect(draft, booking);
  if (!isByPlatform || (booking.isListed && booking.atProvider === "yes" && booking.missing === 0)) return;
  draft.patchBooking(booking, { ...seen, atProvider: "yes" });
}

/**
 * Whether a call of the platform has put a person on the shift whose booking has ended. Once the provider has confirmed that the person is off it, a list
 * that shows the person is that of a replica that lags, then a late effect of an assignment that was repeated, and otherwise the provider's own decision.
 */
function isLateEffect(draft: Draft, { leftAt, sentAt, mayActLate }: BookingState): boolean {
  if (leftAt === null) return sentAt !== null;
  return !draft.readAfter(leftAt) && mayActLate;
}

/** Notes the id under which the provider lists the person, if it no longer lists the one of the last call: it has merged them into another record. */
function noteNewId(draft: Draft, booking: BookingState): void {
  const { providerCandidateId: lastId } = booking;
  const entries = draft.state.surroundings.listed.filter((entry) => isPerson(entry, booking));
  const ids = entries.map(({ providerCandidateId }) => providerCandidateId);
  const [providerCandidateId] = ids;
  const isKnown = lastId === null || ids.some((id) => id.toLowerCase() === lastId.toLowerCase());
  if (isKnown || providerCandidateId === undefined) return;
  draft.patchBooking(booking, { providerCandidateId });
}

/** Whether the provider has put a person on the shift whom the platform was about to assign. A former booking may still be shown by a replica. */
function isAssignedByProvider({ state }: Draft, { candidateId, sentAt }: BookingState): boolean {
  const wasSent = (other: BookingState) => other.candidateId === candidateId && other.sentAt !== null;
  return sentAt === null && !state.bookings.some(wasSent);
}

/**
 * Confirms the bookings that ended only because the shift was gone or cancelled, and whose people the provider still lists. Someone who is booked
 * elsewhere meanwhile is left on the shift as the provider's own, with an issue.
 */
export function restoreBookings(draft: Draft): void {
  const { bookings, surroundings } = draft.state;
  const seen = new Set<string>();
  for (const booking of [...bookings].reverse()) {
    const { candidateId, isWithdrawn, traceId } = booking;
    if (!isEndedWithShift(booking) || isWithdrawn || seen.has(candidateId) || !isOnList(draft.state, booking))
      continue;
    // The person has accepted again before it was settled that the shift is back.
    if (bookings.some((other) => other.candidateId === candidateId && holdsSeat(other))) continue;
    seen.add(candidateId);
    const overlap = surroundings.overlaps.find((each) => each.candidateId === candidateId);
    if (!overlap) {
      draft.step({ step: "assign", code: "seen_assigned", traceId });
      confirm(draft, booking, { isListed: true });
      continue;
    }
    draft.patchBooking(booking, { atProvider: "no", sentAt: null });
    const { otherJobId } = overlap;
    draft.issue("booking_overlaps", draft.bookingSubject(booking), { otherJobId }, traceId);
  }
}

/** Whether it ended only because the shift was gone or cancelled, and no reading has shown since who is on it. */
const isEndedWithShift = ({ reason, atProvider }: BookingState): boolean =>
  atProvider === "maybe" && (reason === "shift_deleted" || reason === "shift_cancelled");

/** Whether the shift is back, but that is not settled: until then, no one is confirmed again or taken off. */
const awaitsRestoring = ({ isSettled }: Draft, booking: BookingState): boolean =>
  !isSettled && isEndedWithShift(booking);

function noteListed(draft: Draft) {
  const { integration } = draft.state;
  if (integration.listsBooked) return;
  integration.listsBooked = true;
  draft.push({ write: "lists_booked" });
}

/** Settles a booking whose last call had an unknown outcome and whose person is not on the list. */
function settleUnlisted(draft: Draft, booking: BookingState) {
  const { rejection, missing, person, providerCandidateId: lastId } = booking;
  // The last call was about an id that the provider no longer knows: the person is withdrawn under the new one, which a replica may not show yet.
  const isRenamed = booking.routeDoubt !== null && person.id !== null && person.id !== lastId;
  if (booking.isWithdrawn && isRenamed) return draft.patchBooking(booking, { atProvider: "yes" });
  settleRoute(draft, booking);
  if (rejection && missing + 1 < MISSING_READINGS) return rereadMissing(draft, booking);
  if (rejection && holdsSeat(booking)) {
    const reason = reasonOf(rejection);
    // Only a call that came before the one rejected may still take effect.
    if (booking.sentAt !== null) draft.readLate();
    return endBooking(draft, booking, { status: "released", reason, rejection }, { atProvider: "no" });
  }
  if (booking.isWithdrawn && holdsSeat(booking)) {
    draft.step({ step: "unassign", code: "seen_unassigned", traceId: booking.traceId });
    endBooking(draft, booking, { status: "released", reason: "withdrawn" }, { atProvider: "no" });
    return draft.readLate();
  }
  draft.patchBooking(booking, { atProvider: "no", rejection: null, missing: 0, mayActLate: true });
}

function rereadMissing(draft: Draft, booking: BookingState): void {
  const afterMs = draft.rules.ladderMs[booking.missing] ?? 0;
  draft.patchBooking(booking, { missing: booking.missing + 1 });
  draft.readAt(draft.now + afterMs);
}

/**
 * The provider removed a person that the platform had assigned, or moved them to another shift. Assignments belong to the platform, so it assigns a person
 * who was removed once more.
 */
function applyRemoved(draft: Draft, booking: BookingState) {
  if (booking.missing + 1 < MISSING_READINGS) return rereadMissing(draft, booking);
  const moved = movedTo(draft, booking);
  if (moved) return moveBooking(draft, booking, moved);
  const off = { atProvider: "no", isListed: false, missing: 0 } as const;
  if (!holdsSeat(booking)) return draft.patchBooking(booking, off);
  if (booking.isWithdrawn)
    return endBooking(draft, booking, { status: "released", reason: "withdrawn" }, off);
  if (booking.isReassigned)
    return endBooking(draft, booking, { status: "released", reason: "removed_by_provider" }, off);
  // The next call is a retry of this time: a replica may not show its effect for a while.
  draft.patchBooking(booking, { ...off, isReassigned: true, sentAt: draft.now });
}

/** Issues that the confirmation of a booking resolves. */
const RESOLVED = [
  ...(["booking_failed", "candidate_ambiguous", "candidate_id_shared"] as const),
  ...(["provider_refused", "unassign_failed", "provider_gave_no_answer"] as const),
];

export function confirm(
  draft: Draft,
  booking: BookingState,
  seen: { isListed?: true; mayActLate?: boolean } = {},
) {
  const isNew = booking.status === "pending";
  const isRestored = !holdsSeat(booking);
  const isKept = booking.isWithdrawn;
  draft.patchBooking(booking, {
    ...seen,
    status: "confirmed",
    atProvider: "yes",
    reason: null,
    rejection: null,
    missing: 0,
    isWithdrawn: false,
    routeDoubt: null,
  });
  if (isNew || isKept) notifyOfBooking(draft, booking, "booking_confirmed");
  if (isRestored) notifyOfBooking(draft, booking, "booking_confirmed", { isAgain: true });
  if (isNew || isRestored) draft.resolveIssues(draft.bookingSubject(booking), RESOLVED);
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

/** Returns the next call for a booking, and applies what needs no call. Returns undefined once every booking is as desired. */
export function nextForBookings(draft: Draft, failed: ReadonlySet<string>): Call | undefined {
  for (const booking of [...draft.state.bookings]) {
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
  // The provider may have merged the person into another one since the last call.
  const isLookedUp = routeDoubt !== null && person.id === null && !(person.fault && isFinal(person.fault));
  if (booking.atProvider === "yes" && isLookedUp) return undefined;
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

/** Fails a booking whose person the provider cannot identify, takes for another candidate, or does not accept. */
function failBooking(draft: Draft, booking: BookingState, fault: FinalFault) {
  const { traceId, candidateId } = booking;
  const subject = draft.bookingSubject(booking);
  const fail = (reason: BookingReason, rejection?: Rejection) =>
    endBooking(
      draft,
      booking,
      { status: "failed", reason, ...(rejection && { rejection }) },
      { atProvider: "no" },
    );
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
