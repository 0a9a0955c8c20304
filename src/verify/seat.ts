import type { Shift as ShiftBody } from "../../generated/provider/types.ts";
import { bookableId } from "./person.ts";
import type { Run } from "./run.ts";
import { assignedIds, hasStarted, readShiftOf, STARTED, shiftBodyOf, shiftOf, updateOf } from "./shift.ts";
import { type Exchange, isReply, type OperationId } from "./target.ts";

/** Somebody and a shift that has a position for them. */
export interface Seat {
  shiftId: string;
  candidateId: string;
}

/** Why there is none, for a person to read. */
export interface NoSeat {
  missing: string;
}

/** The shift of the fixtures with a free position (raised by one when it is full), and the run's test person. */
export async function seatOf(run: Run): Promise<Seat | NoSeat> {
  const { shiftId } = run.fixtures;
  if (!run.mayChange) return { missing: "--read-only" };
  if (shiftId === undefined) return { missing: "no shift: give --fixtures with a shiftId, or --states-url" };
  const candidateId = (await bookableId(run)) ?? run.fixtures.knownCandidateId;
  if (candidateId === undefined) return { missing: "no candidate: creating one failed" };
  const seat = { shiftId, candidateId };
  const missing = await makeRoom(run, seat);
  return missing === undefined ? seat : { missing };
}

/** Why there is no room; undefined when there is. */
async function makeRoom(run: Run, seat: Seat): Promise<string | undefined> {
  const read = await readShiftOf(run, seat.shiftId);
  const shift = shiftOf(read);
  const body = shiftBodyOf(read);
  if (!shift || !body) return "the shift cannot be read";
  run.known.shift ??= body;
  if (shift.cancelled) return "the shift is cancelled";
  if (hasStarted(run, shift)) return STARTED;
  const isOn = shift.assigned.some(({ providerCandidateId }) =>
    isSameId(providerCandidateId, seat.candidateId),
  );
  if (wasAssigned(run, seat) || (isOn && !(await isOurs(run, seat)))) {
    return "no candidate: the known one is on the shift already";
  }
  if (isOn || shift.assigned.length < shift.positions) return undefined;
  return (await addPosition(run, seat.shiftId, body))
    ? undefined
    : "the shift is full, and cannot be given a position more";
}

/** Before anything was changed: somebody of the provider's own must stay where they are. */
function wasAssigned({ known }: Run, { candidateId }: Seat): boolean {
  return (known.shift?.assignedCandidates ?? []).some((entry) =>
    isSameId(entry.candidateId ?? entry.id, candidateId),
  );
}

/** Whom the run put there, or made: anybody else came there by somebody else's doing, and must not be taken off. */
async function isOurs(run: Run, { candidateId }: Seat): Promise<boolean> {
  return run.known.placed.has(candidateId) || (await bookableId(run)) === candidateId;
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

const FORMS = { put: "unassignCandidate", delete: "deleteAssignment" } as const satisfies Record<
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
