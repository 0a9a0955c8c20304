import type { Shift as ShiftBody } from "../../generated/provider/types.ts";
import { standing } from "./cancellable.ts";
import type { Run } from "./run.ts";
import { assign, takeOff, unassign } from "./seat.ts";
import { assignedIds, isGone, readShiftOf, shiftBodyOf, updateOf } from "./shift.ts";
import type { Exchange } from "./target.ts";

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
 * Leaves a shift as it was found: our test people off it, its times and positions as before, and on it again whom the provider took off
 * for a call of ours.
 */
export async function restore(run: Run, { shiftId, before }: Changed): Promise<void> {
  const read = await readUntilPlain(run, shiftId);
  if (isGone(read) || isAsBefore(read, before)) return;
  const is = shiftBodyOf(read);
  const was = updateOf(before);
  const ours = oursOn(run, { shiftId, before }, assignedIds(read));
  await Promise.all(ours.map((candidateId) => unassign(run, { shiftId, candidateId })));
  if (!is || JSON.stringify(was) !== JSON.stringify(updateOf(is))) {
    await run.send({ operation: "updateShift", path: { shiftId }, json: was });
  }
  const now = await readUntilPlain(run, shiftId);
  if (isAsBefore(now, before)) return;
  for (const candidateId of oursOn(run, { shiftId, before }, assignedIds(now))) {
    await takeOff(run, { shiftId, candidateId });
  }
  await putTheirsBack(run, { shiftId, before });
}

/** Whether the shift is as it was found. */
export async function isRestored(run: Run, { shiftId, before }: Changed): Promise<boolean> {
  return isAsBefore(await readUntilPlain(run, shiftId), before);
}

function isAsBefore(read: Exchange, before: ShiftBody): boolean {
  const is = shiftBodyOf(read);
  const then = [updateOf(before), idsBefore(before).toSorted()];
  return (
    is !== undefined && JSON.stringify(then) === JSON.stringify([updateOf(is), assignedIds(read)?.toSorted()])
  );
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
