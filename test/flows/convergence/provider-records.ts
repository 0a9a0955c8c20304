import { randomUUID } from "node:crypto";

/** A person on a shift. The platform's calls never assign or unassign the provider's own people. */
export interface Assigned {
  candidateId: string;
  by: "platform" | "provider";
}

export interface Shift {
  id: string;
  outletId: string;
  roleId: string;
  /** ISO 8601, UTC. */
  startTime: string;
  endTime: string;
  /** The total number of positions. */
  positions: number;
  assigned: readonly Assigned[];
  deleted: boolean;
  createdAt: string;
  updatedAt: string;
}

export interface Candidate {
  id: string;
  personalNumber: string;
  firstName: string;
  lastName: string;
  email: string;
  phone: string;
  createdBy: "platform" | "provider";
  /** On the clock of `performance.now()`. */
  createdAt: number;
}

interface Version {
  at: number;
  shift: Shift;
}

export type Records = ReturnType<typeof createRecords>;

/** The provider's data. Each change of a shift creates a new version, so a read can show an earlier one. */
export function createRecords() {
  const histories = new Map<string, Version[]>();
  const candidates: Candidate[] = [];
  const shifts = shiftsIn(histories);
  let lost: [string, Version[]][] = [];
  return {
    ...shifts,
    candidates: candidates as readonly Candidate[],
    addCandidate: (values: Omit<Candidate, "id" | "createdAt">): Candidate => {
      const candidate = { ...values, id: randomUUID(), createdAt: performance.now() };
      candidates.push(candidate);
      return candidate;
    },
    /** @throws when the candidate does not exist */
    removeCandidate: (id: string): Candidate => {
      const [removed] = candidates.splice(candidates.findIndex((each) => each.id === id) >>> 0, 1);
      if (!removed) throw new Error(`the provider has no candidate ${id}`);
      return removed;
    },
    /** Loses every shift, as in a data loss. */
    loseShifts: () => {
      lost = [...lost, ...histories];
      histories.clear();
    },
    bringShiftsBack: () => {
      for (const [id, versions] of lost.splice(0)) histories.set(id, versions);
    },
  };
}

function shiftsIn(histories: Map<string, Version[]>) {
  /** Returns the shift at that time; undefined before it existed. */
  const shiftAt = (id: string, at = Number.POSITIVE_INFINITY): Shift | undefined =>
    histories.get(id.toLowerCase())?.findLast((version) => version.at <= at)?.shift;
  const save = (shift: Shift): Shift => {
    const versions = histories.get(shift.id) ?? [];
    histories.set(shift.id, [...versions, { at: performance.now(), shift }]);
    return shift;
  };
  return {
    shiftAt,
    shiftIds: (): string[] => [...histories.keys()],
    addShift: (values: Omit<Shift, "id" | "deleted" | "createdAt" | "updatedAt">): Shift => {
      const now = new Date().toISOString();
      return save({ ...values, id: randomUUID(), deleted: false, createdAt: now, updatedAt: now });
    },
    /** @throws when the shift does not exist */
    changeShift: (id: string, change: (shift: Shift) => Partial<Shift>): Shift => {
      const shift = shiftAt(id);
      if (!shift) throw new Error(`the provider has no shift ${id}`);
      return save({ ...shift, ...change(shift), updatedAt: new Date().toISOString() });
    },
  };
}
