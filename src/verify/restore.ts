import type { Shift as ShiftBody } from "../../generated/provider/types.ts";
import { assign, type Pair, remove, unassign } from "./assignment.ts";
import { uncancelled } from "./cancellable-shift.ts";
import { changedFields } from "./checks/unexpected-changes.ts";
import type { Exchange } from "./exchange.ts";
import type { Run } from "./run.ts";
import { assignedIds, isGone, readShiftOf, shiftBodyOf, updateDiffers, updateOf } from "./shift.ts";

/** Restoring may have side effects at a faulty provider: it is repeated once. */
const ROUNDS = 2;
/** An occasional read failure must not leave the shift changed. */
const MOST_READS = 3;

/** A possibly changed shift in its original state. */
export interface Changed {
  shiftId: string;
  before: ShiftBody;
}

/** Returns the fixture shift, and the cancellable shift unless it is cancelled. */
export function changedShifts(run: Run): Changed[] {
  const { shiftId } = run.fixtures;
  const { shift } = run.known;
  const cancellable = uncancelled(run);
  if (!run.mayChange) return [];
  return [
    ...(shiftId !== undefined && shift ? [{ shiftId, before: shift }] : []),
    ...(cancellable ? [{ shiftId: cancellable.shiftId, before: cancellable.body }] : []),
  ];
}

/**
 * Restores a shift: unassigns the test candidates, restores times and positions, and reassigns candidates that the provider
 * unassigned. Other changed fields are restored by sending the whole original shift.
 * Returns the fields that could not be restored, or undefined if the shift cannot be read.
 */
export async function restore(run: Run, { shiftId, before }: Changed): Promise<string[] | undefined> {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const read = await readUntilPlain(run, shiftId);
    if (isGone(read) || remainingChanges(read, before)?.length === 0) return [];
    const added = addedTo(run, { shiftId, before }, assignedIds(read));
    if (round === 1) await Promise.all(added.map((pair) => unassign(run, pair)));
    else for (const pair of added) await remove(run, pair);
    await restoreFields(run, { shiftId, before }, shiftBodyOf(read));
  }
  await reassignOriginal(run, { shiftId, before });
  const last = await readUntilPlain(run, shiftId);
  return isGone(last) ? [] : remainingChanges(last, before);
}

async function restoreFields(run: Run, { shiftId, before }: Changed, is?: ShiftBody): Promise<void> {
  const was = updateOf(before);
  const others = is ? changedFields(before, is) : [];
  if (is && others.length === 0 && updateDiffers(before, is).length === 0) return;
  const { assignedCandidates: _, ...whole } = before;
  const json = others.length > 0 ? { ...whole, ...was } : was;
  await run.send({ operation: "updateShift", path: { shiftId }, json });
}

function remainingChanges(read: Exchange, before: ShiftBody): string[] | undefined {
  const is = shiftBodyOf(read);
  if (!is) return undefined;
  const isSame = originalIds(before).toSorted().join() === assignedIds(read)?.toSorted().join();
  return [
    ...updateDiffers(before, is),
    ...(isSame ? [] : ["assignedCandidates"]),
    ...changedFields(before, is),
  ];
}

async function readUntilPlain(run: Run, shiftId: string): Promise<Exchange> {
  for (let reads = 1; ; reads += 1) {
    const read = await readShiftOf(run, shiftId);
    if (reads === MOST_READS || shiftBodyOf(read)) return read;
  }
}

/** Returns the assignments of the run. @param now the assigned candidates; undefined if unknown */
function addedTo({ known }: Run, { shiftId, before }: Changed, now: readonly string[] | undefined): Pair[] {
  const original = originalIds(before);
  const tried = [...(known.tried.get(shiftId) ?? [])];
  const added = tried.filter((id) => !original.includes(id) && (now?.includes(id) ?? true));
  return added.map((candidateId) => ({ shiftId, candidateId }));
}

/** Reassigns the original candidates that a read does not list. */
async function reassignOriginal(run: Run, { shiftId, before }: Changed): Promise<void> {
  const now = assignedIds(await readUntilPlain(run, shiftId));
  if (!now) return;
  for (const candidateId of originalIds(before)) {
    if (!now.includes(candidateId)) await assign(run, { shiftId, candidateId });
  }
}

function originalIds({ assignedCandidates }: ShiftBody): string[] {
  const ids = assignedCandidates.map((entry) => entry.candidateId ?? entry.id);
  return ids.filter((id) => id !== undefined);
}
