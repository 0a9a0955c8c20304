import type { Shift as ShiftBody } from "../../../generated/provider/types.ts";
import { hyphenated, parsePersonalNumber } from "../../contract/personal-number.ts";
import { assign, unassign } from "../assignment.ts";
import { createCancellable, secondShiftOf, uncancelled } from "../cancellable-shift.ts";
import { CouldNotRun } from "../connection-errors.ts";
import type { PactInteraction } from "../contracts.ts";
import { isPlain } from "../exchange.ts";
import { type StateValues, setUpState } from "../provider-states.ts";
import type { Run } from "../run.ts";
import { hasStarted, NO_SHIFT, readShiftOf, STARTED, shiftBodyOf, shiftOf, updateOf } from "../shift.ts";
import {
  bookableId,
  isTaken,
  NUMBERS_USED_UP,
  numberText,
  personOf,
  secondOf,
  unusedNumberOf,
} from "../test-candidates.ts";
import { neededValues, operationOf } from "./interaction.ts";

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

/** The values of a provider state, or the reason why it cannot be set up. */
export type Prepared = { values: StateValues } | { missing: string };

interface Present {
  shiftId: string;
  body: ShiftBody;
  assigned: readonly string[];
}

/** Sets up the state "a shift exists" on the second shift, with test candidates. */
async function prepareShift(run: Run, interaction: PactInteraction): Promise<Prepared> {
  const present = await readPresent(run);
  if ("missing" in present) return present;
  const [state] = interaction.providerStates ?? [];
  // Positions are those in addition to the provider's own candidates.
  const { positions = 1, assigned = 0 }: { positions?: number; assigned?: number } = state?.params ?? {};
  if (!run.mayChange) return asItIs(present, assigned);
  const { first, second } = await replayCandidatesOf(run);
  if (first === undefined) return { missing: "no candidate: creating one failed" };
  const others = present.assigned.filter((id) => id !== first && id !== second);
  if (operationOf(interaction) === "updateShift" && others.length > 1) {
    return { missing: "the shift has other candidates, and two positions are not enough for them" };
  }
  const missing = await arrange(run, present, { first, second, slots: others.length + positions, assigned });
  if (missing !== undefined) return { missing };
  const candidateId = assigned > 0 ? second : first;
  return { values: { ...shown(present), candidateId, ...(assigned > 0 && { assignedCandidateId: first }) } };
}

async function readPresent(run: Run): Promise<Present | { missing: string }> {
  const shiftId = secondShiftOf(run);
  if (shiftId === undefined) return { missing: NO_SHIFT };
  const read = await readShiftOf(run, shiftId);
  const [body, shift] = [shiftBodyOf(read), shiftOf(read)];
  if (!body || !shift) return { missing: "the shift of the replay cannot be read" };
  if (shift.cancelled) return { missing: "the shift of the replay is cancelled" };
  if (hasStarted(run, shift)) return { missing: STARTED };
  return { shiftId, body, assigned: shift.assigned.map(({ providerCandidateId }) => providerCandidateId) };
}

function shown({ shiftId, body }: Present) {
  const { startTime, endTime } = updateOf(body);
  return { shiftId, startTime, endTime };
}

/** Returns the state for a read-only run: usable only if a candidate is already assigned. */
function asItIs(present: Present, assigned: number): Prepared {
  const [assignedCandidateId] = present.assigned;
  if (assigned === 0) return { values: shown(present) };
  if (assignedCandidateId !== undefined) return { values: { ...shown(present), assignedCandidateId } };
  return { missing: "no candidate is assigned to the fixture shift, and --read-only changes nothing" };
}

interface Arrangement {
  first: string;
  second: string | undefined;
  slots: number;
  assigned: number;
}

async function arrange(run: Run, present: Present, wanted: Arrangement): Promise<string | undefined> {
  const { shiftId, body } = present;
  const { first, second, slots, assigned } = wanted;
  const leaving = assigned > 0 ? [second] : [first, second];
  for (const candidateId of leaving) {
    if (candidateId === undefined || !present.assigned.includes(candidateId)) continue;
    if ((await unassign(run, { shiftId, candidateId })) === undefined)
      return "no candidate can be unassigned";
  }
  const isSet = updateOf(body).slots === slots || (await setPositions(run, present, slots));
  // A shift that must not be full may have more positions than requested.
  const isRoomy = assigned === 0 && updateOf(body).slots > slots;
  if (!isSet && !isRoomy) return "the positions of the shift cannot be changed";
  if (assigned === 0 || present.assigned.includes(first)) return undefined;
  const assignment = await assign(run, { shiftId, candidateId: first });
  const isAssigned = isPlain(assignment) && assignment.answer.status < 300;
  return isAssigned ? undefined : "no candidate can be assigned";
}

async function setPositions(run: Run, { shiftId, body }: Present, slots: number): Promise<boolean> {
  const json = updateOf(body, { slots });
  const update = await run.send({ operation: "updateShift", path: { shiftId }, json });
  return isPlain(update) && update.answer.status < 300;
}

async function replayCandidatesOf(
  run: Run,
): Promise<{ first: string | undefined; second: string | undefined }> {
  const [person, hired] = [await bookableId(personOf(run)), await bookableId(secondOf(run))];
  const [first, second] = [hired, person].filter((id) => id !== undefined);
  return { first, second };
}
