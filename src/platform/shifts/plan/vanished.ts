import { nextWhileHeld } from "./absence.ts";
import { movedTo } from "./close.ts";
import { type Draft, holdsSeat } from "./draft.ts";
import { isOnList } from "./seen.ts";
import { type BookingState, MAX_MISSING, type ShiftState } from "./state.ts";

/** Returns the people booked who are left as they are, because so many are missing from the lists that it is a loss of data. */
export function holdVanished(draft: Draft): readonly BookingState[] {
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
