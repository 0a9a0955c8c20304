import { createHash } from "node:crypto";
import type { ProviderPerson } from "../../../../generated/operations/types.ts";
import type { Shift } from "../../../contract/shift.ts";
import { CANCELLED, type Seen, type Values } from "./believe.ts";
import { type Draft, holdsSeat } from "./draft.ts";
import type { BookingState, ShiftState } from "./state.ts";

export const isOnList = ({ surroundings }: ShiftState, booking: BookingState): boolean =>
  surroundings.listed.some((entry) => isPerson(entry, booking));

/** UUIDs ignore case (RFC 9562). */
export const isSameId = (one: string | null, other: string): boolean =>
  one?.toLowerCase() === other.toLowerCase();

/** Whether the person has been looked up since the provider, or its list, did not know them by that id. */
export const wasSought = ({ soughtIds }: BookingState, id: string | null): boolean =>
  id === null || soughtIds.some((each) => isSameId(each, id));

/**
 * Whether a list entry is the booked person, by their id or by a former one: a replica may lag, and a provider may list what it was asked for. Once they are off the
 * shift for certain, another id means that the provider assigned them.
 */
export function isPerson(
  { candidateId, providerCandidateId }: ProviderPerson,
  booking: BookingState,
): boolean {
  const id = booking.providerCandidateId ?? booking.person.id;
  if (isSameId(id, providerCandidateId)) return true;
  if (candidateId === undefined && wasSought(booking, providerCandidateId)) return true;
  return candidateId === booking.candidateId && (holdsSeat(booking) || mayHaveStayed(booking) || id === null);
}

/** Whether someone whose withdrawal has ended may be on the shift all the same: a replica lagged, or an assignment that was cut takes effect late. */
export const mayHaveStayed = (booking: BookingState): boolean =>
  booking.isWithdrawn && booking.leftAt !== null && booking.mayActLate && !holdsSeat(booking);

/** Returns the id under which the provider lists the person, if it no longer lists the one of the last call: it has merged them into another record. */
export function newIdOf({ surroundings }: ShiftState, booking: BookingState): string | undefined {
  const { providerCandidateId: lastId, person } = booking;
  const entries = surroundings.listed.filter((entry) => isPerson(entry, booking));
  const ids = entries.map(({ providerCandidateId }) => providerCandidateId);
  // A person whom the list shows by their number, and no look-up has found.
  if (lastId === null) return person.id === null && holdsSeat(booking) ? ids[0] : undefined;
  const isKnown = ids.some((id) => isSameId(id, lastId));
  return isKnown ? undefined : ids[0];
}

/**
 * Returns what a shift shows, as the provider has it. Of its people, those count whom the platform has not assigned. Someone whose new id has just become known
 * was one of them on the last list, so the two cannot be compared.
 */
export function seenOn({ state }: Draft, shift: Shift): Seen {
  const assigned = state.bookings.filter(({ sentAt }) => sentAt !== null);
  const own = state.surroundings.listed.filter(
    (entry) => !assigned.some((booking) => isPerson(entry, booking)),
  );
  const seen = seenIn(
    shift,
    own.map(({ providerCandidateId }) => providerCandidateId),
  );
  const isRenamed = assigned.some((booking) => newIdOf(state, booking) !== undefined);
  return isRenamed ? { ...seen, shown: null } : seen;
}

/** Returns what a reading of a shift that exists shows. `own`: those on its list whom the platform has not assigned. */
export function seenIn({ id: _, assigned, ...body }: Shift, own: readonly string[]): Seen {
  const version = body.cancelled ? CANCELLED : digest(body);
  return { version, shown: assigned.length > 0 ? digest([...own].sort()) : null, values: valuesIn(body) };
}

const valuesIn = ({ startTime, endTime, positions, warnings }: Omit<Shift, "id" | "assigned">): Values => ({
  startTime: Date.parse(startTime),
  endTime: Date.parse(endTime),
  ...(!warnings.includes("positions_missing") && { positions }),
});

const digest = (value: object): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 16);
