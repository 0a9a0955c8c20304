import type { Shift as ShiftBody } from "../../generated/provider/types.ts";
import type { Shift } from "../contract/shift.ts";
import { steadyRead } from "./checks/steady-reads.ts";
import { type Exchange, isReply, type OperationId, type Probe } from "./exchange.ts";
import type { Run } from "./run.ts";
import {
  assignedIds,
  hasStarted,
  NO_SHIFT,
  readShiftOf,
  STARTED,
  shiftBodyOf,
  shiftOf,
  updateOf,
} from "./shift.ts";
import { bookableId, personOf, secondOf } from "./test-candidates.ts";

export interface Pair {
  shiftId: string;
  candidateId: string;
}

export interface NoPair {
  missing: string;
}

export interface FreePair {
  pair: Pair;
  body: ShiftBody;
  shift: Shift;
}

/** Returns the test candidate and the fixture shift, which gets another position if it is full. */
export async function freePair(run: Run): Promise<FreePair | NoPair> {
  const { shiftId } = run.fixtures;
  if (!run.mayChange) return { missing: "--read-only" };
  if (shiftId === undefined) return { missing: NO_SHIFT };
  const candidateId = (await bookableId(personOf(run))) ?? run.fixtures.knownCandidateId;
  if (candidateId === undefined) return { missing: "no candidate: creating one failed" };
  return makeRoom(run, { shiftId, candidateId });
}

/** Returns a second candidate who is not assigned to the shift: assigned candidates must stay. */
export async function otherCandidate(run: Run, assigned: readonly string[]): Promise<string | undefined> {
  const candidateId = await bookableId(personOf(run));
  const others = [await bookableId(secondOf(run)), run.fixtures.knownCandidateId];
  return others.find((id) => id !== undefined && id !== candidateId && !assigned.includes(id));
}

async function makeRoom(run: Run, pair: Pair): Promise<FreePair | NoPair> {
  const there = await readSteadily(run, pair.shiftId);
  if (!there) return { missing: "the shift cannot be read" };
  const { shift, body } = there;
  run.known.shift ??= body;
  if (shift.cancelled) return { missing: "the shift is cancelled" };
  if (hasStarted(run, shift)) return { missing: STARTED };
  const isOn = shift.assigned.some(({ providerCandidateId }) =>
    isSameId(providerCandidateId, pair.candidateId),
  );
  if (wasAssigned(run, pair) || (isOn && !(await isOwnedByRun(run, pair)))) {
    return { missing: "no candidate: the known one is already assigned" };
  }
  if (isOn || shift.assigned.length < shift.positions) return { pair, shift, body };
  const isRaised = await addPosition(run, pair.shiftId, body);
  const now = isRaised ? await readSteadily(run, pair.shiftId) : undefined;
  return now ? { pair, ...now } : { missing: "the shift is full, and a position cannot be added" };
}

async function readSteadily(run: Run, shiftId: string): Promise<Omit<FreePair, "pair"> | undefined> {
  const read = await steadyRead(run, shiftId);
  const [shift, body] = [shiftOf(read), shiftBodyOf(read)];
  return shift && body && { shift, body };
}

/** Whether the candidate was assigned before the run: candidates of the provider must stay. */
function wasAssigned({ known }: Run, { candidateId }: Pair): boolean {
  return (known.shift?.assignedCandidates ?? []).some((entry) =>
    isSameId(entry.candidateId ?? entry.id, candidateId),
  );
}

/** Whether the run assigned or created the candidate: any other candidate must not be unassigned. */
async function isOwnedByRun(run: Run, pair: Pair): Promise<boolean> {
  return wasTried(run, pair) || (await bookableId(personOf(run))) === pair.candidateId;
}

export function wasTried({ known }: Run, { shiftId, candidateId }: Pair): boolean {
  return known.tried.get(shiftId)?.has(candidateId) ?? false;
}

/** Ignores case: a provider may send a UUID in capitals (RFC 9562). */
function isSameId(one: string | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}

async function addPosition(run: Run, shiftId: string, body: ShiftBody): Promise<boolean> {
  const path = { shiftId };
  const json = updateOf(body, { slots: body.assignedCandidates.length + 1 });
  const update = await run.send({ operation: "updateShift", path, json });
  return isReply(update) && update.answer.status < 300;
}

export function assign(run: Run, { shiftId, candidateId }: Pair): Promise<Exchange> {
  return run.send({ operation: "assignCandidate", path: { shiftId, candidateId } });
}

/** The operation of each form of unassignment (contract 4.2). */
export const FORMS = { put: "unassignCandidate", delete: "deleteAssignment" } as const satisfies Record<
  string,
  OperationId
>;

export function unassignmentsOf({ known }: Run, pair: Pair): Probe[] {
  const offered = Object.values(FORMS).filter((each) => known.offered.has(each));
  return offered.map((operation) => ({ operation, path: { ...pair } }));
}

export function unassignBy(
  run: Run,
  { shiftId, candidateId }: Pair,
  form: keyof typeof FORMS,
): Promise<Exchange> {
  return run.send({ operation: FORMS[form], path: { shiftId, candidateId } });
}

/** Unassigns like the platform: with the detected form, or else PUT and then DELETE. Returns the form that succeeded. */
export async function unassign(run: Run, pair: Pair): Promise<"put" | "delete" | undefined> {
  const forms = run.forms.unassign === undefined ? (["put", "delete"] as const) : [run.forms.unassign];
  for (const form of forms) {
    const exchange = await unassignBy(run, pair, form);
    if (isReply(exchange) && exchange.answer.status < 300) return form;
  }
  return undefined;
}

/** Unassigns with both forms, twice: a form may have no effect, and a candidate may be listed twice. */
export async function remove(run: Run, pair: Pair): Promise<void> {
  const forms = run.forms.unassign === "delete" ? (["delete", "put"] as const) : (["put", "delete"] as const);
  for (const form of [...forms, ...forms]) {
    if ((await isAssigned(run, pair)) === false) return;
    await unassignBy(run, pair, form);
  }
}

export async function isAssigned(run: Run, { shiftId, candidateId }: Pair): Promise<boolean | undefined> {
  return assignedIds(await readShiftOf(run, shiftId))?.includes(candidateId);
}
