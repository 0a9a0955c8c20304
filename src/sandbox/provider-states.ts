import { randomUUID } from "node:crypto";
import { Router } from "express";
import { hyphenated, type PersonalNumber, parsePersonalNumber } from "../contract/personal-number.ts";
import { problem } from "../contract/problem.ts";
import { readContent } from "../runtime/body.ts";
import { BODY_LIMIT } from "../runtime/server.ts";
import type { ProviderActions } from "./provider-actions.ts";

/** Values that replace the example values of an interaction. Every state includes the providerId. */
export type StateValues = Record<string, string>;

export interface StateParameters {
  /** Of the shift; 1 by default. */
  positions?: number;
  /** Number of assigned candidates; 0 by default. */
  assigned?: number;
  /** Of the candidate to remove. */
  personalNumber?: string;
}

export type ProviderState = (parameters?: StateParameters) => StateValues;

/**
 * Published test numbers of the Swedish Tax Agency (open data set b4de7df7-63c0-4e7e-bb59-1f156a591763), of people who do
 * not exist. The call after a state may create the candidate: the next state then uses the next number.
 */
const UNUSED_NUMBERS = [
  ["197602142395", "197608282393", "197608292392", "197701032398", "197708132399", "197710189346"],
  ["197801062394", "197802192398", "197806152380", "197807272385", "197808152388", "197808202381"],
  ["197808232396", "197809092393", "197809302388", "197811032387", "197812212384", "197902122394"],
].flat();

/** Returns the contracts' provider states (test/consumer/README.md lists them), each as a setup function. */
export function providerStates(actions: ProviderActions, numbers: readonly string[] = UNUSED_NUMBERS) {
  const { providerId } = actions;
  return {
    "an organisation": () => ({ providerId }),
    "a shift exists": (parameters = {}) => ({ providerId, ...shiftWith(actions, parameters) }),
    "a shift was deleted": () => {
      const { shiftId, startTime, endTime } = shiftWith(actions, {});
      actions.deleteShift(shiftId);
      return { providerId, shiftId, startTime, endTime };
    },
    "no such shift": () => ({ providerId, shiftId: randomUUID() }),
    "a candidate exists": () => {
      const { id, personalNumber } = person(actions, 0);
      return { providerId, candidateId: id, ...numberForms(personalNumber) };
    },
    "no such candidate": ({ personalNumber } = {}) => {
      const given = parsePersonalNumber(personalNumber ?? "");
      if (given !== undefined) actions.removeCandidate(given);
      return { providerId, ...numberForms(given ?? unusedNumber(actions, numbers)) };
    },
  } as const satisfies Record<string, ProviderState>;
}

/** Creates a shift. `candidateId` is not assigned to it, `assignedCandidateId` is. */
function shiftWith(actions: ProviderActions, { positions = 1, assigned = 0 }: StateParameters) {
  const { shiftId, shift } = actions.createShift({ positions });
  for (let index = 0; index < assigned; index += 1) {
    shift.assigned.set(person(actions, index).id, shift.createdAt);
  }
  const [assignedCandidateId] = shift.assigned.keys();
  return {
    shiftId,
    startTime: shift.startTime,
    endTime: shift.endTime,
    candidateId: person(actions, assigned).id,
    ...(assignedCandidateId !== undefined && { assignedCandidateId }),
  };
}

function person({ candidates }: ProviderActions, index: number) {
  const found = candidates[index];
  if (!found) throw new Error(`the sandbox has only ${candidates.length} candidates`);
  return found;
}

function unusedNumber({ candidates }: ProviderActions, numbers: readonly string[]): PersonalNumber {
  const taken = new Set<string>(candidates.map(({ personalNumber }) => personalNumber));
  const free = numbers.find((number) => !taken.has(number));
  const number = parsePersonalNumber(free ?? "");
  if (number === undefined) throw new Error("every test number is in use: restart the sandbox");
  return number;
}

function numberForms(number: PersonalNumber) {
  return { personalNumber: number, hyphenatedNumber: hyphenated(number) };
}

/** Path of the route. */
export const STATES_PATH = "/states";

/**
 * Returns Pact's callback for provider states: `POST {"state", "params", "action": "setup"}` returns the values of the
 * state. It requires no token, because it is for tests and not for deployed providers.
 */
export function statesRoute(states: Readonly<Record<string, ProviderState>>): Router {
  return Router({ caseSensitive: true }).post(STATES_PATH, async (request, response) => {
    const body = await readContent(request, { contentType: "application/json", limit: BODY_LIMIT });
    const { state, params, action } = (body ?? {}) as {
      state?: string;
      params?: StateParameters;
      action?: string;
    };
    if (action === "teardown") return response.json({});
    const make = state !== undefined && Object.hasOwn(states, state) ? states[state] : undefined;
    if (!make) {
      const known = Object.keys(states).map((name) => `"${name}"`);
      throw problem("validation_failed", { detail: `state must be one of ${known.join(", ")}` });
    }
    return response.json(make(params));
  });
}
