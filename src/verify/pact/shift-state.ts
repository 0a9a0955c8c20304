import type { Shift as ShiftBody } from "../../../generated/provider/types.ts";
import { assign, unassign } from "../assignment.ts";
import { secondShiftOf } from "../cancellable-shift.ts";
import type { PactInteraction } from "../contracts.ts";
import { isPlain } from "../exchange.ts";
import type { StateValues } from "../provider-states.ts";
import type { Run } from "../run.ts";
import { hasStarted, NO_SHIFT, readShiftOf, STARTED, shiftBodyOf, shiftOf, updateOf } from "../shift.ts";
import { bookableId, personOf, secondOf } from "../test-candidates.ts";
import { operationOf } from "./interaction.ts";

/** The values of a provider state, or the reason why it cannot be set up. */
export type Prepared = { values: StateValues } | { missing: string };

interface Present {
  shiftId: string;
  body: ShiftBody;
  assigned: readonly string[];
}

/** Sets up the state "a shift exists" on the second shift, with test candidates. */
export async function prepareShift(run: Run, interaction: PactInteraction): Promise<Prepared> {
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
