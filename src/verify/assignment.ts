import type { Shift as ShiftBody } from "../../generated/provider/types.ts";
import type { Shift } from "../contract/shift.ts";
import { steadyRead } from "./checks/steady-reads.ts";
import { type Exchange, isReply, type OperationId } from "./exchange.ts";
import type { Run } from "./run.ts";
import { assignedIds, hasStarted, readShiftOf, STARTED, shiftBodyOf, shiftOf, updateOf } from "./shift.ts";
import { bookableId, personOf, secondOf } from "./test-candidates.ts";

/** A candidate and a shift: the path parameters of an assignment. */
export interface Seat {
  shiftId: string;
  candidateId: string;
}

/** The reason why no assignment can be made, as shown in reports. */
export interface NoSeat {
  missing: string;
}

/** An assignment that can be made, and the current shift. */
export interface FreeSeat {
  seat: Seat;
  body: ShiftBody;
  shift: Shift;
}

/** Returns the test candidate and the shift of the fixtures, which gets another position when it is full. */
export async function seatOf(run: Run): Promise<FreeSeat | NoSeat> {
  const { shiftId } = run.fixtures;
  if (!run.mayChange) return { missing: "--read-only" };
  if (shiftId === undefined)
    return { missing: "no shift: provide --fixtures with a shiftId, or --states-url" };
  const candidateId = (await bookableId(personOf(run))) ?? run.fixtures.knownCandidateId;
  if (candidateId === undefined) return { missing: "no candidate: creating one failed" };
  return makeRoom(run, { shiftId, candidateId });
}

/** Returns a second candidate who is not assigned to the shift: assigned candidates must stay. */
export async function someoneElse(run: Run, assigned: readonly string[]): Promise<string | undefined> {
  const candidateId = await bookableId(personOf(run));
  const others = [await bookableId(secondOf(run)), run.fixtures.knownCandidateId];
  return others.find((id) => id !== undefined && id !== candidateId && !assigned.includes(id));
}

async function makeRoom(run: Run, seat: Seat): Promise<FreeSeat | NoSeat> {
  const there = await readSteadily(run, seat.shiftId);
  if (!there) return { missing: "the shift cannot be read" };
  const { shift, body } = there;
  run.known.shift ??= body;
  if (shift.cancelled) return { missing: "the shift is cancelled" };
  if (hasStarted(run, shift)) return { missing: STARTED };
  const isOn = shift.assigned.some(({ providerCandidateId }) =>
    isSameId(providerCandidateId, seat.candidateId),
  );
  if (wasAssigned(run, seat) || (isOn && !(await isOurs(run, seat)))) {
    return { missing: "no candidate: the known one is on the shift already" };
  }
  if (isOn || shift.assigned.length < shift.positions) return { seat, shift, body };
  const isRaised = await addPosition(run, seat.shiftId, body);
  const now = isRaised ? await readSteadily(run, seat.shiftId) : undefined;
  return now ? { seat, ...now } : { missing: "the shift is full, and cannot be given a position more" };
}

async function readSteadily(run: Run, shiftId: string): Promise<Omit<FreeSeat, "seat"> | undefined> {
  const read = await steadyRead(run, shiftId);
  const [shift, body] = [shiftOf(read), shiftBodyOf(read)];
  return shift && body && { shift, body };
}

/** Whether the candidate was assigned before the run: candidates of the provider must stay. */
function wasAssigned({ known }: Run, { candidateId }: Seat): boolean {
  return (known.shift?.assignedCandidates ?? []).some((entry) =>
    isSameId(entry.candidateId ?? entry.id, candidateId),
  );
}

/** Whether the run assigned or created the candidate: any other candidate must not be unassigned. */
async function isOurs(run: Run, seat: Seat): Promise<boolean> {
  return hasPlaced(run, seat) || (await bookableId(personOf(run))) === seat.candidateId;
}

export function hasPlaced({ known }: Run, { shiftId, candidateId }: Seat): boolean {
  return known.placed.get(shiftId)?.has(candidateId) ?? false;
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

export function assign(run: Run, { shiftId, candidateId }: Seat): Promise<Exchange> {
  return run.send({ operation: "assignCandidate", path: { shiftId, candidateId } });
}

/** The operation of each form of unassignment (contract 4.2). */
export const FORMS = { put: "unassignCandidate", delete: "deleteAssignment" } as const satisfies Record<
  string,
  OperationId
>;

/** Unassigns with one of the contract's two forms. */
export function unassignBy(
  run: Run,
  { shiftId, candidateId }: Seat,
  form: keyof typeof FORMS,
): Promise<Exchange> {
  return run.send({ operation: FORMS[form], path: { shiftId, candidateId } });
}

/** Unassigns like the platform: with the detected form, or else PUT and then DELETE. Returns the form that succeeded. */
export async function unassign(run: Run, seat: Seat): Promise<"put" | "delete" | undefined> {
  const forms = run.forms.unassign === undefined ? (["put", "delete"] as const) : [run.forms.unassign];
  for (const form of forms) {
    const exchange = await unassignBy(run, seat, form);
    if (isReply(exchange) && exchange.answer.status < 300) return form;
  }
  return undefined;
}

/** Unassigns with every form until the candidate is gone: a form may have no effect, and a candidate may be listed twice. */
export async function takeOff(run: Run, seat: Seat): Promise<void> {
  const forms = run.forms.unassign === "delete" ? (["delete", "put"] as const) : (["put", "delete"] as const);
  for (const form of [...forms, ...forms]) {
    if ((await isAssigned(run, seat)) === false) return;
    await unassignBy(run, seat, form);
  }
}

/** Whether the provider lists the candidate on the shift; undefined when the shift cannot be read. */
export async function isAssigned(run: Run, { shiftId, candidateId }: Seat): Promise<boolean | undefined> {
  return assignedIds(await readShiftOf(run, shiftId))?.includes(candidateId);
}
