import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import type { OperationId } from "../../../src/verify/exchange.ts";
import { type Call, type Faults, jsonReply, type Reply } from "../../harness/faulty-provider.ts";
import { type Body, refusal, spoil } from "./spoil.ts";

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

export function returnsOldTimes(): Faults {
  let old = {};
  const remember = answering("updateShift", (call, sandbox) => {
    const shift = shiftOf(sandbox, call);
    if (shift) old = { startTime: shift.startTime, endTime: shift.endTime };
    return undefined;
  });
  return { ...remember, ...spoil("updateShift", (body) => ({ ...body, ...old })) };
}

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
