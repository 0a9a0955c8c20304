import type { Candidate, Membership } from "../../../generated/operations/types.ts";

export function fullName({ firstName, lastName }: Pick<Candidate, "firstName" | "lastName">): string {
  return `${firstName} ${lastName}`.trim();
}

/**
 * The name of a candidate as it is valid for an organisation; the short id of one who was erased, or whom only the registry of another organisation
 * names. Without an organisation, the name in the list of people.
 */
export function nameOf(
  candidateId: string,
  { candidate }: { candidate(candidateId: string): Candidate | undefined },
  providerId: string | undefined,
): string {
  const known = validFor(candidate(candidateId), providerId);
  return known ? fullName(known) : `candidate ${shortened(candidateId)}`;
}

/** What is valid for an organisation: what the company asserts, otherwise what its own registry does. */
export function validFor(
  person: Candidate | undefined,
  providerId: string | undefined,
): Candidate | Membership | undefined {
  if (person === undefined || person.shared || providerId === undefined) return person;
  return person.memberships.find((each) => each.providerId === providerId);
}

export const shortened = (id: string): string => (id.length > 12 ? `${id.slice(0, 8)}…` : id);
