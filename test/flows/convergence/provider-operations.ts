import { candidateBody, type Place, registryEntry, shiftBody, type Variant } from "./provider-bodies.ts";
import type { Fault, FaultOf, Faults, Operation } from "./provider-faults.ts";
import type { Candidate, Records, Shift } from "./provider-records.ts";
import type { Call } from "./provider-routes.ts";

/** The provider's choices among the forms of the contract. */
export interface Forms {
  variant: Variant;
  /** The acknowledgement of a change: a body, or 204. */
  acknowledgement: "minimal" | "none";
  /** Problem documents carry a `code`. */
  codes: boolean;
  /** The response to GET of a deleted shift. Variant A has no status, so it is always 404. */
  deletedShows: "absent" | "cancelled";
  /** Times that are requested are stored in multiples of it. Milliseconds. */
  roundsToMs: number;
}

/** A change of the provider's data by a call of the platform. */
export interface Effect {
  kind: "assign" | "unassign" | "create" | "put" | "delete";
  shiftId?: string;
  candidateId?: string;
}

export interface Reply {
  status: number;
  body?: object;
  effect?: Effect;
}

export interface Parts {
  forms: Forms;
  records: Records;
  faults: Faults;
  outlets: readonly Place[];
  roles: readonly Place[];
}

type Handler = (parts: Parts, call: Call) => Reply;

/** Performs a call, as contract 4.2 describes it. */
export function carryOut(parts: Parts, call: Call): Reply {
  return HANDLERS[call.operation](parts, call);
}

const HANDLERS: Record<Operation, Handler> = {
  getShift: readShift,
  updateShift,
  cancelShift,
  assign,
  unassign,
  findCandidates,
  createCandidate,
  listOutlets: ({ outlets }) => ({
    status: 200,
    body: outlets.map((place) => ({ ...place, address: null })),
  }),
  listRoles: ({ roles }) => ({ status: 200, body: roles }),
  readRegistry: ({ records, roles: [role] }) => ({
    status: 200,
    body: {
      candidates: records.candidates
        .filter(({ createdBy }) => createdBy === "provider")
        .flatMap((person) => (role ? [registryEntry(person, role)] : [])),
    },
  }),
};

/** Returns a problem document; with `code` only where the provider uses codes. */
export function refusal({ codes }: Pick<Forms, "codes">, status: number, code?: string): Reply {
  return { status, body: { title: "Refused", status, ...(codes && code !== undefined && { code }) } };
}

/** Returns the time of the state that a read shows. */
function readsAt({ faults }: Parts, call: Call): number | undefined {
  const stale = faults.take("stale", call);
  if (stale) return performance.now() - stale.ms;
  return faults.take("frozen", call)?.since;
}

const isShown = (shift: Shift | undefined, { variant, deletedShows }: Forms): shift is Shift =>
  shift !== undefined && (!shift.deleted || (variant === "b" && deletedShows === "cancelled"));

function readShift(parts: Parts, call: Call): Reply {
  const { forms, records, faults, outlets, roles } = parts;
  const shift = records.shiftAt(call.shiftId ?? "", readsAt(parts, call));
  if (!isShown(shift, forms)) return refusal(forms, 404, "shift_not_found");
  const oddList = faults.take("odd-list", call)?.list;
  const { variant } = forms;
  const { candidates } = records;
  return { status: 200, body: shiftBody(shift, { variant, outlets, roles, candidates, oddList }) };
}

/** Returns the current shift, or the refusal. */
function liveShift({ forms, records }: Parts, { shiftId = "" }: Call): { shift: Shift } | { refused: Reply } {
  const shift = records.shiftAt(shiftId);
  if (!shift) return { refused: refusal(forms, 404, "shift_not_found") };
  if (!shift.deleted) return { shift };
  const isCancelled = isShown(shift, forms);
  return {
    refused: isCancelled ? refusal(forms, 409, "shift_cancelled") : refusal(forms, 404, "shift_not_found"),
  };
}

function updateShift(parts: Parts, call: Call): Reply {
  const { forms, records, outlets, roles } = parts;
  const found = liveShift(parts, call);
  if ("refused" in found) return found.refused;
  const values = readUpdate(call.body, forms.roundsToMs);
  if (!values) return refusal(forms, 422, "validation_failed");
  const { shift } = found;
  const isChanged = (["startTime", "endTime", "positions"] as const).some(
    (name) => shift[name] !== values[name],
  );
  const after = isChanged ? records.changeShift(shift.id, () => values) : shift;
  const answer = isChanged ? { effect: effectOf("put", call) } : {};
  if (forms.acknowledgement === "none") return { status: 204, ...answer };
  const { variant } = forms;
  const { candidates } = records;
  const body = shiftBody(after, { variant, outlets, roles, candidates, oddList: undefined });
  return { status: 200, body, ...answer };
}

function readUpdate(body: unknown, roundsToMs: number) {
  const { startTime, endTime, slots, numberOfPositions = slots } = (body ?? {}) as Record<string, unknown>;
  const rounded = (time: unknown) => Math.round(Date.parse(String(time)) / roundsToMs) * roundsToMs;
  const [start, end] = [rounded(startTime), rounded(endTime)];
  if (!(end > start) || !Number.isInteger(numberOfPositions)) return undefined;
  return {
    startTime: new Date(start).toISOString(),
    endTime: new Date(end).toISOString(),
    positions: numberOfPositions as number,
  };
}

function cancelShift(parts: Parts, call: Call): Reply {
  const found = liveShift(parts, call);
  if ("refused" in found) return found.refused;
  parts.records.changeShift(found.shift.id, () => ({ deleted: true }));
  return { status: 204, effect: effectOf("delete", call) };
}

function assign(parts: Parts, call: Call): Reply {
  const { forms, records } = parts;
  const found = liveShift(parts, call);
  if ("refused" in found) return found.refused;
  const { shift } = found;
  const candidate = records.candidates.find(({ id }) => id === call.candidateId);
  if (!candidate) return refusal(forms, 404, "candidate_not_found");
  if (shift.assigned.some(({ candidateId }) => candidateId === candidate.id)) return acknowledgement(forms);
  if (shift.assigned.length >= shift.positions) return refusal(forms, 409, "shift_full");
  records.changeShift(shift.id, ({ assigned }) => ({
    assigned: [...assigned, { candidateId: candidate.id, by: "platform" }],
  }));
  return { ...acknowledgement(forms), effect: effectOf("assign", call) };
}

/** Unassigns a person. One who is not on the shift is confirmed, too. */
function unassign(parts: Parts, call: Call): Reply {
  const { forms, records } = parts;
  const found = liveShift(parts, call);
  if ("refused" in found) return found.refused;
  const { shift } = found;
  if (!records.candidates.some(({ id }) => id === call.candidateId))
    return refusal(forms, 404, "candidate_not_found");
  const assigned = shift.assigned.filter(({ candidateId }) => candidateId !== call.candidateId);
  const reply = call.method === "DELETE" ? { status: 204 } : acknowledgement(forms);
  if (assigned.length === shift.assigned.length) return reply;
  records.changeShift(shift.id, () => ({ assigned }));
  return { ...reply, effect: effectOf("unassign", call) };
}

const acknowledgement = ({ acknowledgement: form }: Forms): Reply =>
  form === "none" ? { status: 204 } : { status: 200, body: { success: true } };

function findCandidates(parts: Parts, call: Call): Reply {
  const { records } = parts;
  const at = readsAt(parts, call) ?? Number.POSITIVE_INFINITY;
  const number = call.query.get("personalNumber");
  const name = call.query.get("name")?.toLowerCase();
  const found = records.candidates.filter(
    (each) =>
      each.createdAt <= at &&
      (number === null || digitsOf(each.personalNumber) === digitsOf(number)) &&
      (name === undefined || `${each.firstName} ${each.lastName}`.toLowerCase().includes(name)),
  );
  return { status: 200, body: found.map(candidateBody) };
}

/** contract 2.8: both forms appear. */
export const digitsOf = (number: string): string => number.replace(/\D/g, "");

function createCandidate({ forms, records, faults }: Parts, call: Call): Reply {
  const values = readCandidate(call.body);
  if (!values) return refusal(forms, 400, "validation_failed");
  const number = digitsOf(values.personalNumber);
  const isKnown = records.candidates.some(({ personalNumber }) => digitsOf(personalNumber) === number);
  if (isKnown && !faults.take("no-duplicate-detection", call)) return refusal(forms, 409, "candidate_exists");
  const candidate = records.addCandidate({ ...values, createdBy: "platform" });
  const effect = { ...effectOf("create", call), candidateId: candidate.id };
  return { status: 201, body: candidateBody(candidate), effect };
}

type Person = Pick<Candidate, "personalNumber" | "firstName" | "lastName" | "email" | "phone">;

function readCandidate(body: unknown): Person | undefined {
  const { personalNumber, firstName, lastName, email, phone } = (body ?? {}) as Record<keyof Person, unknown>;
  const person = { personalNumber, firstName, lastName, email, phone };
  return Object.values(person).every((value) => typeof value === "string") ? (person as Person) : undefined;
}

function effectOf(kind: Effect["kind"], { shiftId, candidateId }: Call): Effect {
  return {
    kind,
    ...(shiftId !== undefined && { shiftId }),
    ...(candidateId !== undefined && { candidateId }),
  };
}

/** Returns the refusal of a fault, before the call takes effect. */
export function refusalOf(
  forms: Forms,
  faults: Faults,
  call: Call,
): { reply: Reply; retryAfter?: string } | undefined {
  const fault: FaultOf<"status"> | undefined = faults.take("status", call);
  if (!fault) return undefined;
  const { status, code, retryAfter } = fault satisfies Fault;
  const reply = refusal({ codes: forms.codes || code !== undefined }, status, code);
  return { reply, ...(retryAfter !== undefined && { retryAfter }) };
}
