import { assign, freePair, otherCandidate, unassign } from "./assignment.ts";
import { assignedTo } from "./checks/unexpected-changes.ts";
import type { Exchange } from "./exchange.ts";
import { changedShifts, restore } from "./restore.ts";
import type { Run, SharedShift } from "./run.ts";
import { assignedIds, readShiftOf, shiftBodyOf, updateDiffers, updateOf } from "./shift.ts";
import { Interference } from "./valid-requests.ts";

/** A test whose requests a correct provider refuses. It runs once, and again on its own after interference. */
export type RejectionTest = (run: Run, emit: Emit) => Promise<void>;

/** Receives each result; discarded after interference. */
export type Emit = (output: () => void) => void;

/**
 * Runs all rejection tests concurrently on the fixture shift. One test candidate is assigned, another one is not.
 * If a request takes effect, it is unclear which one: then each test runs again on its own.
 */
export async function runRejectionTests(run: Run, all: readonly RejectionTest[]): Promise<void> {
  const shared = await prepareSharedShift(run);
  const results = shared && (await runConcurrently(run, shared, all));
  if (results) {
    for (const emit of results) emit();
    const { shiftId } = run.fixtures;
    if (shiftId !== undefined) await unassign(run, { shiftId, candidateId: shared.assignedId });
    return;
  }
  // What the provider stored of several invalid requests at once is not judged: each is judged on its own.
  await restoreAll({ ...run, send: (probe) => run.send(probe, () => false) });
  for (const attempt of all) await attempt(run, (output) => output());
}

/** Returns the results, or undefined if a request took effect. */
async function runConcurrently(
  run: Run,
  shared: SharedShift,
  all: readonly RejectionTest[],
): Promise<(() => void)[] | undefined> {
  const results: (() => void)[] = [];
  const attempts = all.map((attempt) => attempt({ ...run, shared }, (each) => void results.push(each)));
  const ends = await Promise.allSettled(attempts);
  const failures = ends.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  const failure = failures.find((each) => !(each instanceof Interference));
  if (failure !== undefined) throw failure;
  return failures.length === 0 && (await isUnchanged(run, shared)) ? results : undefined;
}

async function restoreAll(run: Run): Promise<void> {
  const changed = changedShifts(run).find(({ shiftId }) => shiftId === run.fixtures.shiftId);
  if (changed) await restore(run, changed);
}

/** Prepares the shift, or returns undefined without two test candidates and two positions. */
async function prepareSharedShift(run: Run): Promise<SharedShift | undefined> {
  const free = await freePair(run);
  if ("missing" in free) return undefined;
  const { body } = free;
  const { shiftId, candidateId: unassignedId } = free.pair;
  const assigned = assignedTo(free.shift);
  const assignedId = await otherCandidate(run, assigned);
  if (assignedId === undefined || assigned.includes(unassignedId)) return undefined;
  const slots = assigned.length + 2;
  if (updateOf(body).slots < slots) {
    await run.send({ operation: "updateShift", path: { shiftId }, json: updateOf(body, { slots }) });
  }
  await assign(run, { shiftId, candidateId: assignedId });
  const read = await readShiftOf(run, shiftId);
  const now = shiftBodyOf(read);
  const shared = now && { body: now, assignedId, unassignedId };
  return shared && updateOf(now).slots >= slots && shows(read, shared) ? shared : undefined;
}

async function isUnchanged(run: Run, shared: SharedShift): Promise<boolean> {
  const { shiftId } = run.fixtures;
  return shiftId !== undefined && shows(await readShiftOf(run, shiftId), shared);
}

function shows(read: Exchange, { body, assignedId, unassignedId }: SharedShift): boolean {
  const [now, assigned] = [shiftBodyOf(read), assignedIds(read)];
  if (!now || !assigned?.includes(assignedId) || assigned.includes(unassignedId)) return false;
  return updateDiffers(now, body).length === 0;
}
