import { hyphenated, parsePersonalNumber } from "../../contract/personal-number.ts";
import { createCancellable, uncancelled } from "../cancellable-shift.ts";
import type { PactInteraction } from "../contracts.ts";
import { CouldNotRun } from "../could-not-run.ts";
import { type StateValues, setUpState } from "../provider-states.ts";
import type { Run } from "../run.ts";
import { isTaken, NUMBERS_USED_UP, numberText, personOf, unusedNumberOf } from "../test-candidates.ts";
import { neededValues, operationOf } from "./interaction.ts";
import { type Prepared, prepareShift } from "./shift-state.ts";

/** Sets up the provider state of the interaction, through the provider's callback or the contract's API. */
export async function prepareState(run: Run, interaction: PactInteraction): Promise<Prepared> {
  const prepared = await (run.statesUrl === undefined
    ? ownState(run, interaction)
    : callback(run.statesUrl, interaction));
  if ("missing" in prepared) return prepared;
  const values = { providerId: run.target.options.providerId, ...prepared.values };
  const unknown = neededValues(interaction).filter((name) => !isValue(values[name as keyof typeof values]));
  if (unknown.length === 0) return { values };
  const source = run.statesUrl === undefined ? "--fixtures" : "the response of --states-url";
  return { missing: `no ${unknown.join(", ")}: provide it with ${source}` };
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

async function ownState(run: Run, interaction: PactInteraction): Promise<Prepared> {
  const [state] = interaction.providerStates ?? [];
  if (run.known.refusesDigits && /under 12 digits/.test(interaction.description)) {
    return { missing: "the provider accepts the hyphenated form of the personal number only" };
  }
  switch (state?.name) {
    case undefined:
    case "an organisation":
      return { values: {} };
    case "no such shift":
      return { values: { shiftId: run.madeUp("no such shift") } };
    case "no such candidate":
      return unknownCandidate(run);
    case "a candidate exists":
      return existingCandidate(run, interaction);
    case "a shift was deleted":
      return deletedShift(run);
    case "a shift exists":
      return operationOf(interaction) === "cancelShift"
        ? cancellableShift(run)
        : prepareShift(run, interaction);
    default: {
      const why = "cannot be set up through the contract's API: provide --states-url";
      return { missing: `the state "${state?.name}" ${why}` };
    }
  }
}

/** Returns an unknown candidate for lookups. */
async function unknownCandidate(run: Run): Promise<Prepared> {
  const { number, lookups } = await unusedNumberOf(run);
  if (isTaken(lookups, number)) return { missing: NUMBERS_USED_UP };
  return { values: { personalNumber: number, hyphenatedNumber: hyphenated(number) } };
}

/** Uses the test candidate, so that no real person is changed. A read may use the known candidate. */
async function existingCandidate(run: Run, { request }: PactInteraction): Promise<Prepared> {
  const { candidateId, number } = await personOf(run);
  if (candidateId !== undefined) {
    // A creation uses the format that the provider accepts; a lookup uses the format it is about.
    const personalNumber = request?.method === "POST" ? numberText(run, number) : number;
    return { values: { candidateId, personalNumber, hyphenatedNumber: hyphenated(number) } };
  }
  if (request?.method !== "GET") return { missing: "no candidate: creating one failed" };
  const known = parsePersonalNumber(run.fixtures.knownPersonalNumber ?? "");
  return {
    values: known === undefined ? {} : { personalNumber: known, hyphenatedNumber: hyphenated(known) },
  };
}

/** Returns the shift that the cancellation check cancelled. Its times are not relevant. */
function deletedShift({ known }: Run): Prepared {
  const { cancellable, shift } = known;
  if (!cancellable || "missing" in cancellable || !cancellable.isCancelled) {
    return { missing: `no shift was cancelled: ${CANCEL_MORE}` };
  }
  const { startTime, endTime } = shift ?? {};
  return { values: { shiftId: cancellable.shiftId, startTime, endTime } };
}

async function cancellableShift(run: Run): Promise<Prepared> {
  const cancellable = uncancelled(run) ?? (run.createShift ? await createCancellable(run) : undefined);
  if (cancellable && !("missing" in cancellable)) return { values: { shiftId: cancellable.shiftId } };
  const isGone = run.known.cancellable && !("missing" in run.known.cancellable);
  const why = `${isGone ? "the" : "no"} shift that may be cancelled${isGone ? " is already cancelled" : ""}`;
  return { missing: cancellable?.missing ?? `${why}: ${CANCEL_MORE}` };
}

const CANCEL_MORE = "provide --create-shift, or --states-url";
