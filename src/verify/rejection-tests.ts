import { assign, seatOf, someoneElse, unassign } from "./assignment.ts";
import { assignedTo } from "./checks/unexpected-changes.ts";
import type { Exchange } from "./exchange.ts";
import { changedShifts, restore } from "./restore.ts";
import type { Arranged, Run } from "./run.ts";
import { assignedIds, readShiftOf, shiftBodyOf, updateDiffers, updateOf } from "./shift.ts";
import { Disturbed } from "./valid-requests.ts";

/** Sends requests that a correct provider refuses. Called once, and a second time if the first was disturbed. */
export interface Trying {
  /** @param emit receives each result; they are discarded if the attempt was disturbed */
  attempt(run: Run, tell: Tell): Promise<void>;
}

export type Tell = (what: () => void) => void;

/**
 * Tries on the shift of the fixtures what must have no effect, everything at the same time: one test person is on the shift, another one is
 * not. If a request takes effect, it is unclear which one: then each test is repeated alone.
 */
export async function tryAtOnce(run: Run, all: readonly Trying[]): Promise<void> {
  const arranged = await arrange(run);
  const told = arranged && (await tryTogether(run, arranged, all));
  if (told) {
    for (const tell of told) tell();
    const { shiftId } = run.fixtures;
    if (shiftId !== undefined) await unassign(run, { shiftId, candidateId: arranged.seated });
    return;
  }
  await restoreAll(run);
  for (const { attempt } of all) await attempt(run, (what) => what());
}

/** Undefined: something took effect. */
async function tryTogether(
  run: Run,
  arranged: Arranged,
  all: readonly Trying[],
): Promise<(() => void)[] | undefined> {
  const told: (() => void)[] = [];
  const attempts = all.map(({ attempt }) => attempt({ ...run, arranged }, (what) => void told.push(what)));
  const ends = await Promise.allSettled(attempts);
  const failures = ends.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  const failure = failures.find((each) => !(each instanceof Disturbed));
  if (failure !== undefined) throw failure;
  return failures.length === 0 && (await isArranged(run, arranged)) ? told : undefined;
}

async function restoreAll(run: Run): Promise<void> {
  const changed = changedShifts(run).find(({ shiftId }) => shiftId === run.fixtures.shiftId);
  if (changed) await restore(run, changed);
}

/** Undefined where there are not two test people and two positions for them. */
async function arrange(run: Run): Promise<Arranged | undefined> {
  const free = await seatOf(run);
  if ("missing" in free) return undefined;
  const { body } = free;
  const { shiftId, candidateId: standing } = free.seat;
  const assigned = assignedTo(free.shift);
  const seated = await someoneElse(run, assigned);
  if (seated === undefined || assigned.includes(standing)) return undefined;
  const slots = assigned.length + 2;
  if (updateOf(body).slots < slots) {
    await run.send({ operation: "updateShift", path: { shiftId }, json: updateOf(body, { slots }) });
  }
  await assign(run, { shiftId, candidateId: seated });
  const read = await readShiftOf(run, shiftId);
  const now = shiftBodyOf(read);
  const arranged = now && { body: now, seated, standing };
  return arranged && updateOf(now).slots >= slots && shows(read, arranged) ? arranged : undefined;
}

async function isArranged(run: Run, arranged: Arranged): Promise<boolean> {
  const { shiftId } = run.fixtures;
  return shiftId !== undefined && shows(await readShiftOf(run, shiftId), arranged);
}

function shows(read: Exchange, { body, seated, standing }: Arranged): boolean {
  const [now, assigned] = [shiftBodyOf(read), assignedIds(read)];
  if (!now || !assigned?.includes(seated) || assigned.includes(standing)) return false;
  return updateDiffers(now, body).length === 0;
}
