import type { Rejection } from "../../db/schema.ts";
import { nextWhileHeld } from "./absence.ts";
import { confirm, isOddConflict, reasonOf } from "./bookings.ts";
import { endBooking, moveBooking, movedTo, paramsOf } from "./close.ts";
import { type Draft, holdsSeat } from "./draft.ts";
import { doubtCall, doubtPerson, isLookedUp, lookUpAgain, settleRoute } from "./routes.ts";
import { isOnList, mayHaveStayed, newIdOf, wasSought } from "./seen.ts";
import { type BookingState, MAX_MISSING, type ShiftState } from "./state.ts";

/** Applies the provider's list to every booking. The list settles calls whose outcome is unknown. Returns whether it has lost people whom it should show. */
export function applyList(draft: Draft): { isLoss: boolean } {
  if (draft.isSettled) restoreBookings(draft);
  const held = holdVanished(draft);
  for (const booking of draft.state.bookings) {
    if (awaitsRestoring(draft, booking)) continue;
    if (held.includes(booking)) {
      seekAgain(draft, booking);
      continue;
    }
    if (isOnList(draft.state, booking)) applyListed(draft, booking);
    // They are on the shift under another id: a look-up shows whether it is theirs.
    else if (booking.rejection?.assignedAs !== undefined) continue;
    else if (mayBeRenamed(booking) && seekAgain(draft, booking)) continue;
    else if (booking.atProvider === "maybe") settleUnlisted(draft, booking);
    else if (booking.atProvider === "yes") applyMissing(draft, booking);
    else settleLeft(draft, booking);
  }
  return { isLoss: held.length > 0 };
}

/** An id belongs to one candidate, whatever number the provider gives it later: whether it still means the same person needs an operator. */
export function noteNumbers(draft: Draft): void {
  const { state, job } = draft;
  const { listed, renumbered = [] } = state.surroundings;
  const code = "candidate_number_changed";
  const known = [...state.bookings, ...listed, ...(job?.ownPeople ?? [])];
  for (const candidateId of new Set(known.flatMap((person) => person.candidateId ?? []))) {
    const subject = { kind: "booking", shiftId: state.shiftId, candidateId } as const;
    const entry = listed.find((each) => each.candidateId === candidateId);
    if (!entry || !renumbered.includes(candidateId)) draft.resolveIssues(subject, [code]);
    else draft.issue(code, subject, { providerCandidateId: entry.providerCandidateId });
  }
}

/** Nothing that the platform has done can put a person on the shift whom a list lacks so long after they have left it. */
function settleLeft(draft: Draft, booking: BookingState): void {
  const { leftAt, mayActLate } = booking;
  if (mayActLate && leftAt !== null && !draft.isWithinLag(leftAt))
    draft.patchBooking(booking, { mayActLate: false });
}

/**
 * A person who was assigned is not on the list. They count as removed once lists have lacked them for as long as a replica may lag, after the assignment and
 * again after the first of these lists.
 */
function applyMissing(draft: Draft, booking: BookingState): void {
  const { listsBooked } = draft.state.integration;
  if (!listsBooked && (wasSought(booking, lastIdOf(booking)) || !hasStrangers(draft))) return;
  if (draft.readAfter(booking.sentAt)) return;
  // A provider whose lists have never shown a booked person may list other ids.
  if (!listsBooked) return void seekAgain(draft, booking);
  if (booking.missingSince === null) draft.patchBooking(booking, { missingSince: draft.now });
  if (!draft.readAfter(booking.missingSince) && !seekAgain(draft, booking)) applyRemoved(draft, booking);
}

/** Whether the list may show under a new id someone who withdraws, or whose assignment was refused after one of unknown outcome. */
function mayBeRenamed(booking: BookingState): boolean {
  const { atProvider, isWithdrawn, rejection } = booking;
  const isInDoubt = atProvider === "maybe";
  if (isInDoubt && isLookedUp(booking)) return true;
  const isLeft = atProvider !== "no" && (isWithdrawn || (isInDoubt && rejection !== null));
  return (isLeft || mayHaveStayed(booking)) && !wasSought(booking, lastIdOf(booking));
}

/** The id by which the provider knew the person last. */
const lastIdOf = ({ person, providerCandidateId }: BookingState): string | null =>
  person.id ?? providerCandidateId;

const hasStrangers = ({ state }: Draft): boolean =>
  state.surroundings.listed.some((entry) => entry.candidateId === undefined);

/**
 * Looks a person up again who is not on the list, and returns whether that comes first: the list has an id of an unknown person, and the provider may have merged the booked one
 * under it. That is done once for each id, until a list shows the person; nothing is concluded before.
 */
function seekAgain(draft: Draft, booking: BookingState): boolean {
  const { candidateId, isWithdrawn, atProvider, routeDoubt } = booking;
  const isUnderWay = isLookedUp(booking);
  const isDoubted = isUnderWay && atProvider === "maybe" && routeDoubt !== null;
  const mayBeListed = hasStrangers(draft) && (holdsSeat(booking) || mayHaveStayed(booking));
  if ((!mayBeListed && !isDoubted) || draft.hasStarted) return false;
  if (!isUnderWay && wasSought(booking, lastIdOf(booking))) return false;
  // A look-up goes on for someone who withdraws only while the call about them is in doubt.
  if (isUnderWay && isWithdrawn) doubtCall(draft, "unassign", booking);
  if (mayHaveStayed(booking)) draft.patchBooking(booking, { atProvider: "maybe" });
  if (isUnderWay) draft.push({ write: "identify", candidateId, forget: false });
  else if (isWithdrawn) doubtPerson(draft, "unassign", booking);
  else lookUpAgain(draft, booking);
  // The end of a look-up makes the shift due.
  draft.readAt(draft.now + (draft.rules.ladderMs.at(isUnderWay ? -1 : 0) ?? 0));
  return true;
}

function applyListed(draft: Draft, booking: BookingState) {
  const { atProvider, sentAt } = booking;
  // The provider may have put the person there itself: an attempt that was cut may take effect all the same.
  const isCut = atProvider === "maybe" || (atProvider === "yes" && booking.mayActLate);
  const mayActLate = isCut && draft.isWithinLag(sentAt);
  const seen = { missingSince: null, soughtIds: [], rejection: null, mayActLate };
  noteListed(draft);
  noteNewId(draft, booking);
  const isAwaited = booking.atProvider === "maybe" || isAssignedByProvider(draft, booking);
  if (booking.status === "pending" && isAwaited && !booking.isWithdrawn) {
    draft.step({ step: "assign", code: "seen_assigned", traceId: booking.traceId });
    return confirm(draft, booking, seen);
  }
  const isByPlatform = booking.atProvider !== "no" || isLateEffect(draft, booking);
  if (isByPlatform) draft.patchBooking(booking, { ...seen, atProvider: "yes" });
}

/**
 * Whether a call of the platform has put a person on the shift whose booking has ended. Once the provider has confirmed that the person is off it, a list
 * that shows the person is that of a replica that lags, then a late effect of an assignment that was repeated, and otherwise the provider's own decision.
 */
function isLateEffect(draft: Draft, { leftAt, sentAt, mayActLate }: BookingState): boolean {
  if (leftAt === null) return sentAt !== null;
  return !draft.readAfter(leftAt) && mayActLate;
}

function noteNewId(draft: Draft, booking: BookingState): void {
  const providerCandidateId = newIdOf(draft.state, booking);
  if (providerCandidateId !== undefined) draft.patchBooking(booking, { providerCandidateId });
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
function restoreBookings(draft: Draft): void {
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
      confirm(draft, booking, { missingSince: null });
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
  draft.push({ write: "listsBooked" });
}

/** Releases the seat. A refusal that nothing explains is asked once more, and needs an operator the second time (decisions, "assign response"). */
function settleRejected(draft: Draft, booking: BookingState, rejection: Rejection) {
  const { isReassigned, isWithdrawn, sentAt, traceId } = booking;
  const isOdd = isOddConflict(rejection) && hasRoom(draft) && !isWithdrawn;
  if (isOdd && !isReassigned)
    return draft.patchBooking(booking, { atProvider: "no", rejection: null, isReassigned: true });
  if (isOdd) draft.issue("provider_refused", draft.bookingSubject(booking), paramsOf(rejection), traceId);
  // Only a call that came before the one rejected may still take effect.
  if (sentAt !== null) draft.expectLateEffect();
  const reason = reasonOf(rejection);
  endBooking(draft, booking, { status: "released", reason, rejection }, { atProvider: "no" });
}

/** Whether the list, as it was read, leaves a position free. */
const hasRoom = ({ job, state }: Draft): boolean =>
  job !== undefined && state.surroundings.listed.length < job.positions;

/** Settles a booking whose last call had an unknown outcome and whose person is not on the list. */
function settleUnlisted(draft: Draft, booking: BookingState) {
  const { rejection, person, providerCandidateId: lastId } = booking;
  // The last call was about an id that the provider no longer knows: the person is withdrawn under the new one, which a replica may not show yet.
  const isRenamed = booking.routeDoubt !== null && person.id !== null && person.id !== lastId;
  if (booking.isWithdrawn && isRenamed) return draft.patchBooking(booking, { atProvider: "yes" });
  settleRoute(draft, booking);
  // A call before the one rejected may have taken effect, and a replica may lag.
  if (rejection && draft.readAfter(booking.sentAt)) return;
  if (rejection && holdsSeat(booking)) return settleRejected(draft, booking, rejection);
  if (booking.isWithdrawn && holdsSeat(booking)) {
    draft.step({ step: "unassign", code: "seen_unassigned", traceId: booking.traceId });
    // A replica may lack the person, who is still on the shift.
    const off = { atProvider: "no", leftAt: draft.now, mayActLate: true } as const;
    endBooking(draft, booking, { status: "released", reason: "withdrawn" }, off);
    return draft.expectLateEffect();
  }
  // The shift is back without the person: from now on, only the provider puts them on it.
  if (isEndedWithShift(booking))
    return draft.patchBooking(booking, { atProvider: "no", rejection: null, leftAt: draft.now });
  draft.patchBooking(booking, { atProvider: "no", rejection: null, mayActLate: true });
}

/**
 * The provider removed a person that the platform had assigned, or moved them to another shift. Assignments belong to the platform, so it assigns a person
 * who was removed once more.
 */
function applyRemoved(draft: Draft, booking: BookingState) {
  const moved = movedTo(draft, booking);
  if (moved) return moveBooking(draft, booking, moved);
  const off = { atProvider: "no" } as const;
  if (!holdsSeat(booking)) return draft.patchBooking(booking, off);
  if (booking.isWithdrawn)
    return endBooking(draft, booking, { status: "released", reason: "withdrawn" }, off);
  if (booking.isReassigned)
    return endBooking(draft, booking, { status: "released", reason: "removed_by_provider" }, off);
  // The next call is a retry of this time: a replica may not show its effect for a while.
  draft.patchBooking(booking, { atProvider: "no", isReassigned: true, sentAt: draft.now });
}

/** Returns the people booked who are left as they are, because so many are missing from the lists that it is a loss of data. */
function holdVanished(draft: Draft): readonly BookingState[] {
  const removed = removedFrom(draft);
  if (isMassRemoval(draft, removed.length)) {
    holdPeople(draft, removed);
    return removed;
  }
  sampleOthers(draft, removed);
  return [];
}

/** The people booked whom the list lacks although it should show them. Those whom another list shows instead are not lost. */
const removedFrom = (draft: Draft): BookingState[] =>
  unlisted(draft.state).filter((booking) => !draft.isWithinLag(booking.sentAt) && !movedTo(draft, booking));

/** The people booked whom the list lacks, at a provider whose lists show them. */
export const unlisted = (state: ShiftState): BookingState[] =>
  !state.integration.listsBooked
    ? []
    : state.bookings.filter(
        (booking) =>
          holdsSeat(booking) &&
          !booking.isWithdrawn &&
          booking.atProvider === "yes" &&
          !isOnList(state, booking),
      );

/** Whether so many people are missing from the lists that it is a loss of data rather than a decision about each of them. */
function isMassRemoval({ state, hasStarted }: Draft, count: number): boolean {
  const { removed, listed } = state.surroundings;
  if (count === 0 || removed === undefined || hasStarted) return false;
  const missing = removed.missing + count;
  const isMany = missing > MAX_MISSING && missing > (removed.booked + count) / 5;
  return isMany || (count >= EMPTIED && listed.length === 0) || state.integration.isHeld;
}

/** A list with as many of the platform's people that becomes empty is a loss of data. */
const EMPTIED = 3;

/** Leaves the bookings as they are until lists show the people, or an operator confirms that they are removed. */
function holdPeople(draft: Draft, people: readonly BookingState[]): void {
  const { missing = 0, booked = 0 } = draft.state.surroundings.removed ?? {};
  draft.push({ write: "hold", params: { count: missing + people.length, booked: booked + people.length } });
  draft.state.integration.isHeld = true;
  const { now } = draft;
  draft.readAt(nextWhileHeld(draft, Math.min(...people.map(({ missingSince }) => missingSince ?? now))));
  for (const booking of people)
    if (booking.missingSince === null) draft.patchBooking(booking, { missingSince: now });
}

/** The first missing person makes the platform read other shifts: whether many are missing has to be known before anyone is released. */
function sampleOthers(draft: Draft, people: readonly BookingState[]): void {
  const { removed } = draft.state.surroundings;
  const isFirst = removed?.missing === 0 && people.some(({ missingSince }) => missingSince === null);
  if (isFirst && !draft.hasStarted)
    draft.push({ write: "sample", count: Math.ceil(removed.booked / 5) + MAX_MISSING });
}
