import type { ProviderPerson } from "../../../../generated/operations/types.ts";
import type { Shift } from "../../../contract/shift.ts";
import type { Draft } from "./draft.ts";
import { NEW_BOOKING } from "./state.ts";

// The provider moves people in its schedule. What one shift lacks, another one shows: the readings of both come in either order.

/**
 * Books the people on the list whose bookings on other shifts have just ended, with the shift or because the provider took them off: the list of this one was
 * read too late to move them.
 */
export function bookArrived(draft: Draft, { startTime }: Shift): void {
  const { surroundings, bookings } = draft.state;
  if (!draft.isSettled || Date.parse(startTime) <= draft.now) return;
  for (const candidateId of surroundings.arrived ?? []) {
    const entry = surroundings.listed.find((person) => person.candidateId === candidateId);
    if (!entry) continue;
    const { providerCandidateId } = entry;
    draft.push({ write: "book", candidateId, providerCandidateId, kind: "booking_confirmed" });
    bookings.push({
      ...NEW_BOOKING,
      bookingId: "",
      candidateId,
      status: "confirmed",
      atProvider: "yes",
      providerCandidateId,
      person: { id: providerCandidateId, fault: null },
      traceId: draft.traceId,
    });
  }
}

/** Reads the shifts on which the candidates are booked whom the provider has put on this one: it may have moved them. */
export function readBooked(
  draft: Draft,
  before: readonly ProviderPerson[],
  now: readonly ProviderPerson[],
): void {
  const known = new Set(before.map(({ candidateId }) => candidateId));
  const candidateIds = now.flatMap(({ candidateId }) =>
    candidateId === undefined || known.has(candidateId) ? [] : [candidateId],
  );
  if (candidateIds.length > 0) draft.push({ write: "read_booked", candidateIds });
}
