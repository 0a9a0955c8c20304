import { randomUUID } from "node:crypto";
import type { OddList } from "./provider-faults.ts";
import type { Assigned, Candidate, Shift } from "./provider-records.ts";

export type Variant = "a" | "b";

/** contract 2.6 and 2.7. */
export interface Place {
  id: string;
  name: string;
}

interface Rendering {
  variant: Variant;
  outlets: readonly Place[];
  roles: readonly Place[];
  candidates: readonly Candidate[];
  oddList: OddList | undefined;
}

/** Returns the shift in the form of GET (contract 2.2). */
export function shiftBody(shift: Shift, rendering: Rendering): object {
  const { variant, oddList } = rendering;
  const { id, startTime, endTime, outletId, roleId, positions } = shift;
  const entries = shift.assigned.map((assigned) => entryOf(assigned, rendering));
  const assignedCandidates = oddList ? ODD_LISTS[oddList](entries, variant) : entries;
  const shared = { id, startTime, endTime, outletId, roleId, assignedCandidates };
  if (variant === "a") {
    const nameOf = (places: readonly Place[], placeId: string) =>
      places.find((place) => place.id === placeId)?.name ?? "";
    const { outlets, roles } = rendering;
    return {
      ...shared,
      outletName: nameOf(outlets, outletId),
      roleName: nameOf(roles, roleId),
      slots: positions,
    };
  }
  return {
    ...shared,
    breakMinutes: 30,
    numberOfPositions: positions,
    status: statusOf(shift),
    description: null,
    createdAt: shift.createdAt,
    updatedAt: shift.updatedAt,
  };
}

function statusOf({ deleted, assigned, positions }: Shift): string {
  if (deleted) return "cancelled";
  return assigned.length >= positions ? "filled" : "open";
}

type Entry = { candidateId: string } | { id: string; personalNumber: string };

function entryOf({ candidateId }: Assigned, { variant, candidates }: Rendering): Entry {
  if (variant === "a") return { candidateId };
  const personalNumber = candidates.find(({ id }) => id === candidateId)?.personalNumber ?? "";
  return { id: candidateId, personalNumber };
}

const CROWD = 10_000;

const stranger = (variant: Variant): Entry =>
  variant === "a" ? { candidateId: randomUUID() } : { id: randomUUID(), personalNumber: "" };

/** Returns a malformed list of people. */
const ODD_LISTS: Record<OddList, (entries: readonly Entry[], variant: Variant) => unknown[]> = {
  "ten-thousand": (entries, variant) => [
    ...entries,
    ...Array.from({ length: CROWD - entries.length }, () => stranger(variant)),
  ],
  duplicates: (entries) => [...entries, ...entries, ...entries],
  nulls: (entries) => [null, ...entries, null],
  empty: () => [],
};

/** contract 2.5. The person has worked in the role. */
export function registryEntry(candidate: Candidate, { id: roleId, name: roleName }: Place): object {
  const worked = { shiftId: randomUUID(), date: "2026-01-31", roleId, roleName };
  return { ...candidateBody(candidate), employeeNumber: "1", workHistory: [worked] };
}

/** contract 2.3. */
export function candidateBody(candidate: Candidate): object {
  const { id, personalNumber, firstName, lastName, email, phone } = candidate;
  return { id, personalNumber, firstName, lastName, email, phone };
}
