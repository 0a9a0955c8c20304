import type { Run } from "./run.ts";
import { assign, takeOff } from "./seat.ts";
import { assignedIds, isGone, readShiftOf, shiftBodyOf, updateOf } from "./shift.ts";
import type { Exchange } from "./target.ts";

/** A read that fails now and then must not leave the shift changed. */
const MOST_READS = 3;

/**
 * Leaves the shift of the fixtures as it was found: our test people off it, its times and positions as before, and on it again whom the
 * provider took off for a call of ours.
 */
export async function restore(run: Run): Promise<void> {
  const { shiftId } = run.fixtures;
  const { shift: before } = run.known;
  if (!run.mayChange || shiftId === undefined || !before) return;
  const read = await readUntilPlain(run, shiftId);
  if (isGone(read)) return;
  await takeOffOurs(run, shiftId, assignedIds(read));
  const is = shiftBodyOf(read);
  const was = updateOf(before);
  if (!is || JSON.stringify(was) !== JSON.stringify(updateOf(is))) {
    await run.send({ operation: "updateShift", path: { shiftId }, json: was });
  }
  await putTheirsBack(run, shiftId);
}

/** Whether the shift is as it was found; undefined when nothing of it can have been changed. */
export async function isRestored(run: Run): Promise<boolean | undefined> {
  const { shiftId } = run.fixtures;
  const { shift: before } = run.known;
  if (!run.mayChange || shiftId === undefined || !before) return undefined;
  const read = await readUntilPlain(run, shiftId);
  const is = shiftBodyOf(read);
  const then = [updateOf(before), idsBefore(run).toSorted()];
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

/** @param now who is on the shift; when that is not known, all of ours are taken off. */
async function takeOffOurs(run: Run, shiftId: string, now: readonly string[] | undefined): Promise<void> {
  const before = idsBefore(run);
  // A person whose creation was stopped was never assigned.
  const person = await run.known.person?.catch(() => undefined);
  for (const candidateId of new Set([person?.candidateId, run.known.hiredId, ...run.known.placed])) {
    if (candidateId === undefined || before.includes(candidateId)) continue;
    if (now?.includes(candidateId) ?? true) await takeOff(run, { shiftId, candidateId });
  }
}

/** Only when a read says for certain that they are not there. */
async function putTheirsBack(run: Run, shiftId: string): Promise<void> {
  const now = assignedIds(await readUntilPlain(run, shiftId));
  if (!now) return;
  for (const candidateId of idsBefore(run)) {
    if (!now.includes(candidateId)) await assign(run, { shiftId, candidateId });
  }
}

function idsBefore({ known }: Run): string[] {
  const ids = (known.shift?.assignedCandidates ?? []).map((entry) => entry.candidateId ?? entry.id);
  return ids.filter((id) => id !== undefined);
}
