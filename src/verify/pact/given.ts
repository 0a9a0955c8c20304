import { hyphenated, parsePersonalNumber } from "../../contract/personal-number.ts";
import type { PactInteraction } from "../contracts.ts";
import { CouldNotRun } from "../could-not-run.ts";
import { nobody, numberText, personOf } from "../person.ts";
import type { Run } from "../run.ts";
import { type StateValues, setUpState } from "../states.ts";
import type { Cast } from "./cast.ts";
import { type Prepared, prepareShift } from "./given-shift.ts";
import { neededValues, operationOf } from "./interaction.ts";

/** Makes so what the interaction takes for granted: through the provider's callback, or through the contract's own API. */
export async function prepareState(run: Run, cast: Cast, interaction: PactInteraction): Promise<Prepared> {
  const prepared = await (run.statesUrl === undefined
    ? ownState(run, cast, interaction)
    : callback(run.statesUrl, interaction));
  if ("missing" in prepared) return prepared;
  const values = { providerId: run.target.options.providerId, ...prepared.values };
  const unknown = neededValues(interaction).filter((name) => !isValue(values[name as keyof typeof values]));
  if (unknown.length === 0) return { values };
  const source = run.statesUrl === undefined ? "--fixtures" : "the answer of --states-url";
  return { missing: `there is no ${unknown.join(", ")}: give it with ${source}` };
}

const isValue = (value: unknown) => typeof value === "string" && value !== "";

async function callback(statesUrl: string, { providerStates = [] }: PactInteraction): Promise<Prepared> {
  try {
    const values: StateValues[] = [];
    for (const { name, params } of providerStates) values.push(await setUpState(statesUrl, name, params));
    return { values: Object.assign({}, ...values) };
  } catch (error) {
    if (error instanceof CouldNotRun) return { missing: error.message };
    throw error;
  }
}

async function ownState(run: Run, cast: Cast, interaction: PactInteraction): Promise<Prepared> {
  const [state] = interaction.providerStates ?? [];
  if (run.known.refusesDigits && /under 12 digits/.test(interaction.description)) {
    return { missing: "the provider reads the hyphenated form of the personal number only" };
  }
  switch (state?.name) {
    case undefined:
    case "an organisation":
      return { values: {} };
    case "no such shift":
      return { values: { shiftId: run.madeUp("no such shift") } };
    case "no such candidate":
      return { values: await somebodyNew(run, interaction) };
    case "a candidate exists":
      return somebodyKnown(run, interaction);
    case "a shift was deleted":
      return deletedShift(run);
    case "a shift exists":
      return operationOf(interaction) === "cancelShift"
        ? cancellableShift(run)
        : prepareShift(run, cast, interaction);
    default:
      return {
        missing: `the state "${state?.name}" cannot be made through the contract's own API: give --states-url`,
      };
  }
}

/** An interaction that creates uses the person up; lookups share one. */
async function somebodyNew(run: Run, { description, request }: PactInteraction): Promise<StateValues> {
  const name = request?.method === "POST" ? description.replace(/ \[.*/, "") : "nobody";
  const { number } = await nobody(run, name);
  const personalNumber = request?.method === "POST" ? numberText(run, number) : number;
  return { personalNumber, hyphenatedNumber: hyphenated(number) };
}

/** Our own person, so that nobody who may be real is sent anything. A read may ask for the one of the fixtures. */
async function somebodyKnown(run: Run, { request }: PactInteraction): Promise<Prepared> {
  const { candidateId, number } = await personOf(run);
  if (candidateId !== undefined) {
    // What is created is sent in the form that the provider takes; a lookup asks for the form that it is about.
    const personalNumber = request?.method === "POST" ? numberText(run, number) : number;
    return { values: { candidateId, personalNumber, hyphenatedNumber: hyphenated(number) } };
  }
  if (request?.method !== "GET") return { missing: "no candidate: creating one failed" };
  const known = parsePersonalNumber(run.fixtures.knownPersonalNumber ?? "");
  return {
    values: known === undefined ? {} : { personalNumber: known, hyphenatedNumber: hyphenated(known) },
  };
}

/** The one that the check of the cancellation cancelled. The times are of another shift: they change nothing here. */
function deletedShift({ known, fixtures }: Run): Prepared {
  const { cancellableShiftId: shiftId } = fixtures;
  if (!known.cancelled || shiftId === undefined) {
    return { missing: "no shift was cancelled: give --fixtures with a cancellableShiftId, or --states-url" };
  }
  const { startTime, endTime } = known.shift ?? {};
  return { values: { shiftId, startTime, endTime } };
}

function cancellableShift({ known, fixtures }: Run): Prepared {
  const { cancellableShiftId: shiftId } = fixtures;
  if (shiftId !== undefined && !known.cancelled) return { values: { shiftId } };
  return {
    missing: known.cancelled
      ? "the shift that may be cancelled was cancelled by an earlier check: give --states-url"
      : "no shift that may be cancelled: give --fixtures with a cancellableShiftId, or --states-url",
  };
}
