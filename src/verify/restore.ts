import type { Shift as ShiftBody } from "../../generated/provider/types.ts";
import { assign, takeOff, unassign } from "./assignment.ts";
import { standing } from "./cancellable-shift.ts";
import { notAsFound } from "./checks/unexpected-changes.ts";
import type { Exchange } from "./exchange.ts";
import type { Run } from "./run.ts";
import { assignedIds, isGone, readShiftOf, shiftBodyOf, updateDiffers, updateOf } from "./shift.ts";

/** What is put back may change something else at a provider that is wrong: it is looked at once more. */
const ROUNDS = 2;
/** A read that fails now and then must not leave the shift changed. */
const MOST_READS = 3;

/** A shift that may have been changed, as it was before. */
export interface Changed {
  shiftId: string;
  before: ShiftBody;
}

/** The shift of the fixtures, and the one that may be cancelled while it stands. */
export function changedShifts(run: Run): Changed[] {
  const { shiftId } = run.fixtures;
  const { shift } = run.known;
  const cancellable = standing(run);
  if (!run.mayChange) return [];
  return [
    ...(shiftId !== undefined && shift ? [{ shiftId, before: shift }] : []),
    ...(cancellable ? [{ shiftId: cancellable.shiftId, before: cancellable.body }] : []),
  ];
}

/**
 * Restores a shift: unassigns the test candidates, restores times and positions, and reassigns candidates that the provider unassigned
 * for a call of ours. What a call has changed besides is put back with the whole shift, as it was read.
 * Returns the fields that could not be restored.
 */
export async function restore(run: Run, { shiftId, before }: Changed): Promise<string[]> {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const read = await readUntilPlain(run, shiftId);
    if (isGone(read) || leftOf(read, before).length === 0) return [];
    const ours = oursOn(run, { shiftId, before }, assignedIds(read)).map((candidateId) => ({
      shiftId,
      candidateId,
    }));
    if (round === 1) await Promise.all(ours.map((seat) => unassign(run, seat)));
    else for (const seat of ours) await takeOff(run, seat);
    await putFieldsBack(run, { shiftId, before }, shiftBodyOf(read));
  }
  await putTheirsBack(run, { shiftId, before });
  const last = await readUntilPlain(run, shiftId);
  return isGone(last) ? [] : leftOf(last, before);
}

async function putFieldsBack(
  run: Run,
  { shiftId, before }: Changed,
  is: ShiftBody | undefined,
): Promise<void> {
  const was = updateOf(before);
  const others = is ? notAsFound(before, is) : [];
  if (is && others.length === 0 && updateDiffers(before, is).length === 0) return;
  const { assignedCandidates: _, ...whole } = before;
  const json = others.length > 0 ? { ...whole, ...was } : was;
  await run.send({ operation: "updateShift", path: { shiftId }, json });
}

function leftOf(read: Exchange, before: ShiftBody): string[] {
  const is = shiftBodyOf(read);
  if (!is) return ["all of it"];
  const isSeated = idsBefore(before).toSorted().join() === assignedIds(read)?.toSorted().join();
  return [
    ...updateDiffers(before, is),
    ...(isSeated ? [] : ["assignedCandidates"]),
    ...notAsFound(before, is),
  ];
}

async function readUntilPlain(run: Run, shiftId: string): Promise<Exchange> {
  for (let reads = 1; ; reads += 1) {
    const read = await readShiftOf(run, shiftId);
    if (reads === MOST_READS || shiftBodyOf(read)) return read;
  }
}

/** @param now who is on the shift; when that is not known, all of ours may be. */
function oursOn({ known }: Run, { shiftId, before }: Changed, now: readonly string[] | undefined): string[] {
  const theirs = idsBefore(before);
  const placed = [...(known.placed.get(shiftId) ?? [])];
  return placed.filter((id) => !theirs.includes(id) && (now?.includes(id) ?? true));
}

/** Only when a read says for certain that they are not there. */
async function putTheirsBack(run: Run, { shiftId, before }: Changed): Promise<void> {
  const now = assignedIds(await readUntilPlain(run, shiftId));
  if (!now) return;
  for (const candidateId of idsBefore(before)) {
    if (!now.includes(candidateId)) await assign(run, { shiftId, candidateId });
  }
}

function idsBefore({ assignedCandidates }: ShiftBody): string[] {
  const ids = assignedCandidates.map((entry) => entry.candidateId ?? entry.id);
  return ids.filter((id) => id !== undefined);
}
