import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import type { OperationId } from "../../../src/verify/exchange.ts";
import { type Call, type Faults, jsonReply, type Reply } from "./faulty-provider.ts";
import { type Body, instead, refusal, spoil, spoilList } from "./spoil.ts";

const candidateOf = ({ url }: Call): string => url.split("/").at(-1) ?? "";

const shiftOf = ({ shifts }: Sandbox, { url }: Call) => shifts.find(({ id }) => url.includes(id));

const jsonOf = ({ body }: Call): Body => JSON.parse(body);

/** Replies in place of the sandbox to one operation. */
function answering(
  operation: OperationId,
  reply: (call: Call, sandbox: Sandbox) => Reply | undefined,
): Faults {
  return { before: (call, sandbox) => (call.operation === operation ? reply(call, sandbox) : undefined) };
}

/** Adds an effect to a success. */
function doing(operation: OperationId, effect: (sandbox: Sandbox, sent: Call) => void): Faults {
  return {
    after: (reply, sent, sandbox) => {
      if (sent.operation === operation && reply.status < 300) effect(sandbox, sent);
      return undefined;
    },
  };
}

export const refusesHires = (): Faults =>
  instead("createCandidate", ({ body }) => (body.includes("bankDetails") ? refusal(422) : undefined));

export const forgets = (): Faults =>
  instead("createCandidate", (call) => jsonReply(201, { id: crypto.randomUUID(), ...jsonOf(call) }));

/** Changes lookups that find a test candidate. */
export const ofOurs = (change: (one: Body) => readonly Body[]): Faults =>
  spoilList("findCandidates", ([one, ...rest]) =>
    one?.lastName === "Provning" ? [...change(one), ...rest] : one ? [one, ...rest] : [],
  );

export const findsAll = (): Faults =>
  answering("findCandidates", (call) => {
    call.url = call.url.replace(/\?.*$/, "");
    return undefined;
  });

/** Returns 201 with a new id for an existing candidate. */
export const createsTwice = (): Faults => ({
  after: (reply, sent) =>
    sent.operation === "createCandidate" && reply.status === 409
      ? jsonReply(201, { id: crypto.randomUUID(), ...jsonOf(sent) })
      : undefined,
});

/** Returns 200 with the existing candidate. */
export const createsOnce = (): Faults => ({
  after: (reply, sent, { candidates }) => {
    if (sent.operation !== "createCandidate" || reply.status !== 409) return undefined;
    return jsonReply(
      200,
      candidates.find(({ personalNumber }) => personalNumber === jsonOf(sent).personalNumber),
    );
  },
});

export const storesOnly = (...fields: readonly ("startTime" | "endTime" | "slots")[]): Faults =>
  answering("updateShift", (call, sandbox) => {
    const shift = shiftOf(sandbox, call);
    if (!shift) return undefined;
    const { startTime, endTime, positions: slots } = shift;
    const sent = jsonOf(call);
    const kept = {
      startTime,
      endTime,
      slots,
      ...Object.fromEntries(fields.map((name) => [name, sent[name]])),
    };
    call.body = JSON.stringify({ ...kept, numberOfPositions: kept.slots });
    return undefined;
  });

export function returnsOldTimes(): Faults {
  let old = {};
  const remember = answering("updateShift", (call, sandbox) => {
    const shift = shiftOf(sandbox, call);
    if (shift) old = { startTime: shift.startTime, endTime: shift.endTime };
    return undefined;
  });
  return { ...remember, ...spoil("updateShift", (body) => ({ ...body, ...old })) };
}

export const unassignsAll = (): Faults =>
  doing("updateShift", (sandbox, sent) => shiftOf(sandbox, sent)?.assigned.clear());

/** Moves the shift to another outlet. */
export const moves = (operation: OperationId): Faults =>
  doing(operation, (sandbox, sent) => {
    const shift = shiftOf(sandbox, sent);
    if (shift) shift.outletId = sandbox.outlets[1]?.id ?? shift.outletId;
  });

export const refusesRepetition = (): Faults =>
  answering("assignCandidate", (call, sandbox) =>
    shiftOf(sandbox, call)?.assigned.has(candidateOf(call)) ? refusal(409) : undefined,
  );

/** The second assignment unassigns the candidate. */
export const toggles = (): Faults =>
  answering("assignCandidate", (call, sandbox) =>
    shiftOf(sandbox, call)?.assigned.delete(candidateOf(call))
      ? jsonReply(200, { success: true })
      : undefined,
  );

export function assignsAndRefuses(): Faults {
  return whenFull(refusal(409));
}

export function acceptsMore(): Faults {
  return whenFull({ status: 204, headers: {}, body: "" });
}

/** Assigns beyond the positions. */
function whenFull(reply: Reply): Faults {
  return answering("assignCandidate", (call, sandbox) => {
    const shift = shiftOf(sandbox, call);
    const candidateId = candidateOf(call);
    if (!shift || shift.assigned.has(candidateId) || shift.assigned.size < shift.positions) return undefined;
    shift.assigned.set(candidateId, "2026-01-01T00:00:00Z");
    return reply;
  });
}

/** A repeated assignment makes a second entry. */
export function listsTwice(): Faults {
  const twice = new Set<unknown>();
  const listed = spoil("getShift", (body) => ({
    ...body,
    assignedCandidates: (body.assignedCandidates as Body[]).flatMap((entry) =>
      twice.has(entry.candidateId) ? [entry, entry] : [entry],
    ),
  }));
  const repeated = answering("assignCandidate", (call, sandbox) => {
    if (shiftOf(sandbox, call)?.assigned.has(candidateOf(call))) twice.add(candidateOf(call));
    return undefined;
  });
  return { ...listed, ...repeated };
}

/** An assignment unassigns all other candidates. */
export const replaces = (): Faults =>
  doing("assignCandidate", (sandbox, sent) => {
    const assigned = shiftOf(sandbox, sent)?.assigned;
    for (const id of [...(assigned?.keys() ?? [])]) if (id !== candidateOf(sent)) assigned?.delete(id);
  });

/** An unassignment removes all candidates. */
export const emptiesShift = (): Faults =>
  doing("unassignCandidate", (sandbox, sent) => shiftOf(sandbox, sent)?.assigned.clear());
