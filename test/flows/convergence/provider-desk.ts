import published from "../../testdata/personal-numbers.json" with { type: "json" };
import type { Parts } from "./provider-operations.ts";
import type { Candidate, Shift } from "./provider-records.ts";

export interface ShiftValues {
  startTime?: string;
  endTime?: string;
  positions?: number;
  /** How many people of its own the provider has assigned already. */
  ownPeople?: number;
}

export interface Desk {
  /** Six hours on a day of its own unless the times are given. Nothing is announced. */
  createShift(values?: ShiftValues): Shift;
  updateShift(shiftId: string, values: Pick<ShiftValues, "startTime" | "endTime" | "positions">): void;
  deleteShift(shiftId: string): void;
  /** A deleted shift is there again. */
  restoreShift(shiftId: string): void;
  /** The provider assigns a person of its own; with `candidateId`, one whom it knows already. */
  assignOwn(shiftId: string, candidateId?: string): string;
  /** The provider takes a person off, also one whom the platform assigned. */
  removePerson(shiftId: string, candidateId: string): void;
  /** Data loss: every shift vanishes. */
  loseShifts(): void;
  bringShiftsBack(): void;
  /** The shift as it is; `deleted` ones too. */
  shift(shiftId: string): Shift | undefined;
  shiftIds(): string[];
  versionsOf(shiftId: string): Shift[];
  candidates: readonly Candidate[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SHIFT_MS = 6 * HOUR_MS;

/** What the provider's staff does. */
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
    removePerson: (shiftId, candidateId) =>
      void changeShift(shiftId, ({ assigned }) => ({
        assigned: assigned.filter((person) => person.candidateId !== candidateId),
      })),
    loseShifts: records.loseShifts,
    bringShiftsBack: records.bringShiftsBack,
    shift: (shiftId) => records.shiftAt(shiftId),
    shiftIds: records.shiftIds,
    versionsOf: records.versionsOf,
    candidates,
  };
}

/** The provider's own people have published coordination numbers, so that no candidate of the platform is one of them. */
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
