import type { Shift as ShiftBody } from "../../generated/provider/types.ts";
import type { Shift } from "../contract/shift.ts";
import { steadyRead } from "./checks/steady-reads.ts";
import { type Exchange, isReply, type OperationId } from "./exchange.ts";
import type { Run } from "./run.ts";
import { assignedIds, hasStarted, readShiftOf, STARTED, shiftBodyOf, shiftOf, updateOf } from "./shift.ts";
import { bookableId, personOf, secondOf } from "./test-candidates.ts";

/** Somebody and a shift that has a position for them. */
export interface Seat {
  shiftId: string;
  candidateId: string;
}

/** Why there is none, for a person to read. */
export interface NoSeat {
  missing: string;
}

/** A seat that is free or the test person's own, and the shift as it is. */
export interface FreeSeat {
  seat: Seat;
  body: ShiftBody;
  shift: Shift;
}

/** The shift of the fixtures with a free position (raised by one when it is full), and the run's test person. */
export async function seatOf(run: Run): Promise<FreeSeat | NoSeat> {
  const { shiftId } = run.fixtures;
  if (!run.mayChange) return { missing: "--read-only" };
  if (shiftId === undefined) return { missing: "no shift: give --fixtures with a shiftId, or --states-url" };
  const candidateId = (await bookableId(personOf(run))) ?? run.fixtures.knownCandidateId;
  if (candidateId === undefined) return { missing: "no candidate: creating one failed" };
  return makeRoom(run, { shiftId, candidateId });
}

/** A second candidate, who is not one of those on the shift: they must stay there. */
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

/** Before anything was changed: somebody of the provider's own must stay where they are. */
function wasAssigned({ known }: Run, { candidateId }: Seat): boolean {
  return (known.shift?.assignedCandidates ?? []).some((entry) =>
    isSameId(entry.candidateId ?? entry.id, candidateId),
  );
}

/** Whom the run put there, or made: anybody else came there by somebody else's doing, and must not be taken off. */
async function isOurs(run: Run, seat: Seat): Promise<boolean> {
  return hasPlaced(run, seat) || (await bookableId(personOf(run))) === seat.candidateId;
}

export function hasPlaced({ known }: Run, { shiftId, candidateId }: Seat): boolean {
  return known.placed.get(shiftId)?.has(candidateId) ?? false;
}

/** A provider may write a UUID in capitals (RFC 9562). */
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

/** In one of the contract's two forms. */
export function unassignBy(
  run: Run,
  { shiftId, candidateId }: Seat,
  form: keyof typeof FORMS,
): Promise<Exchange> {
  return run.send({ operation: FORMS[form], path: { shiftId, candidateId } });
}

/** As the platform does: the form that is known, else PUT and then DELETE. Answers with the form that was taken. */
export async function unassign(run: Run, seat: Seat): Promise<"put" | "delete" | undefined> {
  const forms = run.forms.unassign === undefined ? (["put", "delete"] as const) : [run.forms.unassign];
  for (const form of forms) {
    const exchange = await unassignBy(run, seat, form);
    if (isReply(exchange) && exchange.answer.status < 300) return form;
  }
  return undefined;
}

/** Off the shift, whatever it takes: a form may do nothing, and who is listed twice is taken off twice. */
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
