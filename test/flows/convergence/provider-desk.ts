import { DAY_MS, HOUR_MS } from "../../../src/contract/durations.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };
import type { Parts } from "./provider-operations.ts";
import type { Assigned, Candidate, Shift } from "./provider-records.ts";

export interface ShiftValues {
  startTime?: string;
  endTime?: string;
  positions?: number;
  /** The number of its own people that the provider has assigned. */
  ownPeople?: number;
}

export interface Desk {
  /** Creates a shift of six hours on a separate day, unless the times are given. Sends no webhook. */
  createShift(values?: ShiftValues): Shift;
  updateShift(shiftId: string, values: Pick<ShiftValues, "startTime" | "endTime" | "positions">): void;
  deleteShift(shiftId: string): void;
  /** Restores a deleted shift. */
  restoreShift(shiftId: string): void;
  /** Assigns one of the provider's own people; with `candidateId`, a known one. */
  assignOwn(shiftId: string, candidateId?: string): string;
  /** Registers a person with this personal number as one of its own, and returns the id. */
  employ(personalNumber: string, details?: Partial<Candidate>): string;
  /** Merges a person into a new one with the same personal number, and returns the new id. */
  mergePerson(candidateId: string): string;
  /** Deletes a person. */
  deletePerson(candidateId: string): void;
  /** Unassigns a person, also one whom the platform assigned. */
  removePerson(shiftId: string, candidateId: string): void;
  /** Moves a person to another shift, also one whom the platform assigned. */
  movePerson(from: string, to: string, candidateId: string): void;
  /** Creates a shift again, under a new id, with the same people. The old one is deleted. */
  recreateShift(shiftId: string, values?: Pick<ShiftValues, "startTime" | "endTime">): Shift;
  /** Loses every shift, as in a data loss. */
  loseShifts(): void;
  bringShiftsBack(): void;
  /** Returns the current shift; `deleted` ones too. */
  shift(shiftId: string): Shift | undefined;
  shiftIds(): string[];
  candidates: readonly Candidate[];
}

const SHIFT_MS = 6 * HOUR_MS;

/** Returns the actions of the provider's staff. */
export function createDesk({ records, outlets, roles }: Parts): Desk {
  const { changeShift, candidates } = records;
  let days = 1;
  const newPerson = () => records.addCandidate(ownPerson(candidates.length));
  const assignOwn = (shiftId: string, candidateId = newPerson().id): string => {
    changeShift(shiftId, ({ assigned }) => ({ assigned: [...assigned, { candidateId, by: "provider" }] }));
    return candidateId;
  };
  return {
    createShift: ({ ownPeople = 0, positions = 1, ...times } = {}) => {
      const midnight = Math.ceil(Date.now() / DAY_MS + days++) * DAY_MS;
      const { startTime = new Date(midnight + 8 * HOUR_MS).toISOString() } = times;
      const { endTime = new Date(Date.parse(startTime) + SHIFT_MS).toISOString() } = times;
      const place = { outletId: outlets[0]?.id ?? "", roleId: roles[0]?.id ?? "" };
      const { id } = records.addShift({ ...place, startTime, endTime, positions, assigned: [] });
      for (let nth = 0; nth < ownPeople; nth++) assignOwn(id);
      return records.shiftAt(id) as Shift;
    },
    updateShift: (shiftId, values) => void changeShift(shiftId, () => values),
    deleteShift: (shiftId) => void changeShift(shiftId, () => ({ deleted: true })),
    restoreShift: (shiftId) => void changeShift(shiftId, () => ({ deleted: false })),
    assignOwn,
    employ: (personalNumber, details = {}) =>
      records.addCandidate({ ...ownPerson(candidates.length), ...details, personalNumber }).id,
    mergePerson: (candidateId) => {
      const { id } = records.addCandidate({ ...records.removeCandidate(candidateId), createdBy: "provider" });
      const renamed = (person: Assigned) =>
        person.candidateId === candidateId ? { ...person, candidateId: id } : person;
      for (const shiftId of records.shiftIds())
        changeShift(shiftId, ({ assigned }) => ({ assigned: assigned.map(renamed) }));
      return id;
    },
    deletePerson: (candidateId) => void records.removeCandidate(candidateId),
    removePerson: (shiftId, candidateId) =>
      void changeShift(shiftId, ({ assigned }) => ({
        assigned: assigned.filter((person) => person.candidateId !== candidateId),
      })),
    movePerson: (from, to, candidateId) => {
      const isMoved = (person: Assigned) => person.candidateId === candidateId;
      const [moved] = records.shiftAt(from)?.assigned.filter(isMoved) ?? [];
      if (!moved) throw new Error(`the person is not on the shift ${from}`);
      changeShift(from, ({ assigned }) => ({ assigned: assigned.filter((person) => !isMoved(person)) }));
      changeShift(to, ({ assigned }) => ({ assigned: [...assigned, moved] }));
    },
    recreateShift: (shiftId, values = {}) => {
      const shift = changeShift(shiftId, () => ({ deleted: true }));
      const { outletId, roleId, startTime, endTime, positions, assigned } = shift;
      return records.addShift({ outletId, roleId, startTime, endTime, positions, assigned, ...values });
    },
    loseShifts: records.loseShifts,
    bringShiftsBack: records.bringShiftsBack,
    shift: (shiftId) => records.shiftAt(shiftId),
    shiftIds: records.shiftIds,
    candidates,
  };
}

/** Published coordination numbers of the provider's own people; no candidate of the platform has one. */
function ownPerson(nth: number): Omit<Candidate, "id" | "createdAt"> {
  const { coordinationNumbers: numbers } = published;
  const personalNumber = numbers[nth % numbers.length] ?? "";
  const names = {
    firstName: "Kim",
    lastName: `Berg ${nth}`,
    email: "kim@example.com",
    phone: "+46701740606",
  };
  return { ...names, personalNumber, createdBy: "provider" };
}
