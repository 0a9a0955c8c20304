import type { Organisation, StoredCandidate, StoredShift } from "./organisation.ts";

/** All data of a sandbox organisation, as JSON. */
export interface OrganisationSnapshot
  extends Pick<Organisation, "providerId" | "token" | "outlets" | "roles"> {
  shifts: (Omit<StoredShift, "assigned"> & { assigned: [candidateId: string, at: string][] })[];
  candidates: StoredCandidate[];
}

export function snapshotOf({ shifts, candidates, ...rest }: Organisation): OrganisationSnapshot {
  return {
    ...rest,
    shifts: [...shifts.values()].map((shift) => ({ ...shift, assigned: [...shift.assigned] })),
    candidates: [...candidates.values()],
  };
}

export function organisationFrom({ shifts, candidates, ...rest }: OrganisationSnapshot): Organisation {
  return {
    ...rest,
    shifts: new Map(shifts.map((shift) => [shift.id, { ...shift, assigned: new Map(shift.assigned) }])),
    candidates: new Map(candidates.map((candidate) => [candidate.id, candidate])),
  };
}
