import type { ProviderPerson } from "../../../generated/operations/types.ts";
import type { Shift } from "../../contract/shift.ts";
import { type Seen, seenIn } from "./believe.ts";
import { type Draft, holdsSeat } from "./draft.ts";
import type { BookingState, ShiftState } from "./state.ts";

export const isOnList = ({ surroundings }: ShiftState, booking: BookingState): boolean =>
  surroundings.listed.some((entry) => isPerson(entry, booking));

/** Whether a list entry is the booked person. UUIDs ignore case (RFC 9562). Once a booking has ended, another id means that the provider assigned the person. */
export function isPerson(
  { candidateId, providerCandidateId }: ProviderPerson,
  booking: BookingState,
): boolean {
  const id = booking.providerCandidateId ?? booking.person.id;
  if (id?.toLowerCase() === providerCandidateId.toLowerCase()) return true;
  return candidateId === booking.candidateId && (holdsSeat(booking) || id === null);
}

/** Returns what a shift shows, as the provider has it. Of its people, those count whom the platform has not assigned. */
export function seenOn({ state }: Draft, shift: Shift): Seen {
  const assigned = state.bookings.filter(({ sentAt }) => sentAt !== null);
  const own = state.surroundings.listed.filter(
    (entry) => !assigned.some((booking) => isPerson(entry, booking)),
  );
  return seenIn(
    shift,
    own.map(({ providerCandidateId }) => providerCandidateId),
  );
}
