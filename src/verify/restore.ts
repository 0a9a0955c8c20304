import type { Run } from "./run.ts";
import { takeOff } from "./seat.ts";
import { assignedIds, isGone, readShiftOf, shiftBodyOf, updateOf } from "./shift.ts";
import type { Exchange } from "./target.ts";

/** A read that fails now and then must not leave the shift changed. */
const MOST_READS = 3;

/** Leaves the shift of the fixtures as it was found: our test people off it, its times and positions as before. */
export async function restore(run: Run): Promise<void> {
  const { shiftId } = run.fixtures;
  const { shift: before } = run.known;
  if (!run.mayChange || shiftId === undefined || !before) return;
  const read = await readUntilPlain(run, shiftId);
  if (isGone(read)) return;
  await takeOffOurs(run, shiftId, assignedIds(read));
  const is = shiftBodyOf(read);
  const was = updateOf(before);
  if (is && JSON.stringify(was) === JSON.stringify(updateOf(is))) return;
  await run.send({ operation: "updateShift", path: { shiftId }, json: was });
}

async function readUntilPlain(run: Run, shiftId: string): Promise<Exchange> {
  for (let reads = 1; ; reads += 1) {
    const read = await readShiftOf(run, shiftId);
    if (reads === MOST_READS || shiftBodyOf(read)) return read;
  }
}

/** @param now who is on the shift; when that is not known, all of ours are taken off. */
async function takeOffOurs(run: Run, shiftId: string, now: readonly string[] | undefined): Promise<void> {
  const before = (run.known.shift?.assignedCandidates ?? []).map((entry) => entry.candidateId ?? entry.id);
  const ours = [(await run.known.person)?.candidateId, run.known.hiredId, run.fixtures.knownCandidateId];
  for (const candidateId of new Set(ours)) {
    if (candidateId === undefined || before.includes(candidateId)) continue;
    if (now?.includes(candidateId) ?? true) await takeOff(run, { shiftId, candidateId });
  }
}
