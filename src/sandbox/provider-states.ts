import { randomUUID } from "node:crypto";
import { hyphenated, type PersonalNumber, parsePersonalNumber } from "../contract/personal-number.ts";
import type { Desk } from "./desk.ts";

/** What an interaction takes the place of its example values with; every state names the providerId too. */
export type StateValues = Record<string, string>;

/** `positions`: of the shift, 1 unless given. `assigned`: how many of them are taken, none unless given. */
export interface StateParameters {
  positions?: number;
  assigned?: number;
}

export type ProviderState = (parameters?: StateParameters) => StateValues;

/**
 * Published test numbers of the Swedish Tax Agency (open data set b4de7df7-63c0-4e7e-bb59-1f156a591763), of people who do
 * not exist. A call that follows a state may create the person: then the next number is nobody's.
 */
const NOBODYS = [
  ["197602142395", "197608282393", "197608292392", "197701032398", "197708132399", "197710189346"],
  ["197801062394", "197802192398", "197806152380", "197807272385", "197808152388", "197808202381"],
  ["197808232396", "197809092393", "197809302388", "197811032387", "197812212384", "197902122394"],
].flat();

/** The provider states of the contracts (test/consumer/README.md lists them) as things that a person at the provider does. */
export function providerStates(desk: Desk, numbers: readonly string[] = NOBODYS) {
  const { providerId } = desk;
  return {
    "an organisation": () => ({ providerId }),
    "a shift exists": (parameters = {}) => ({ providerId, ...shiftWith(desk, parameters) }),
    "a shift was deleted": () => {
      const { shiftId, startTime, endTime } = shiftWith(desk, {});
      desk.deleteShift(shiftId);
      return { providerId, shiftId, startTime, endTime };
    },
    "no such shift": () => ({ providerId, shiftId: randomUUID() }),
    "a candidate exists": () => {
      const { id, personalNumber } = person(desk, 0);
      return { providerId, candidateId: id, ...numberForms(personalNumber) };
    },
    "no such candidate": () => ({ providerId, ...numberForms(nobodys(desk, numbers)) }),
  } as const satisfies Record<string, ProviderState>;
}

/** `candidateId` is somebody who is not assigned, `assignedCandidateId` somebody who is. */
function shiftWith(desk: Desk, { positions = 1, assigned = 0 }: StateParameters) {
  const { shiftId, shift } = desk.createShift({ positions });
  for (let index = 0; index < assigned; index += 1) {
    shift.assigned.set(person(desk, index).id, shift.createdAt);
  }
  const [assignedCandidateId] = shift.assigned.keys();
  return {
    ...{ shiftId, startTime: shift.startTime, endTime: shift.endTime },
    candidateId: person(desk, assigned).id,
    ...(assignedCandidateId !== undefined && { assignedCandidateId }),
  };
}

function person({ candidates }: Desk, index: number) {
  const found = candidates[index];
  if (!found) throw new Error(`the sandbox has only ${candidates.length} candidates`);
  return found;
}

function nobodys({ candidates }: Desk, numbers: readonly string[]): PersonalNumber {
  const taken = new Set<string>(candidates.map(({ personalNumber }) => personalNumber));
  const free = numbers.find((number) => !taken.has(number));
  const number = parsePersonalNumber(free ?? "");
  if (number === undefined)
    throw new Error("every test number is somebody's by now: start the sandbox again");
  return number;
}

function numberForms(number: PersonalNumber) {
  return { personalNumber: number, hyphenatedNumber: hyphenated(number) };
}
