import type { OperationId } from "../../../src/verify/exchange.ts";
import { type Call, type Faults, jsonReply, type Reply } from "./faulty-provider.ts";

/** What a body holds; a list of them for lists. */
export type Body = Readonly<Record<string, unknown>>;

/** Changes the body of each success of the operation. */
export function spoil(operation: OperationId, change: (body: Body, sent: Call) => unknown): Faults {
  return {
    after: (reply, sent) =>
      sent.operation === operation && reply.status < 300 && reply.body !== ""
        ? { ...reply, body: JSON.stringify(change(JSON.parse(reply.body), sent)) }
        : undefined,
  };
}

/** The same for a list. */
export function spoilList(
  operation: OperationId,
  change: (list: readonly Body[]) => readonly unknown[],
): Faults {
  return spoil(operation, (body) => change(body as unknown as readonly Body[]));
}

/** Answers in the provider's place, so that nothing happens there. */
export function instead(operation: OperationId, reply: Reply | ((call: Call) => Reply | undefined)): Faults {
  return {
    before: (call) => {
      if (call.operation !== operation) return undefined;
      return typeof reply === "function" ? reply(call) : reply;
    },
  };
}

export const refusal = (status: number): Reply => jsonReply(status, { error: "refused" });
export const noContent: Reply = { status: 204, headers: {}, body: "" };

/** Counts 1, 2, 3. */
export function turns(): () => number {
  let turn = 0;
  return () => {
    turn += 1;
    return turn;
  };
}

/** Not the first answers, by which the kit knows the provider; then every third. */
export function sometimes(): () => boolean {
  const turn = turns();
  return () => {
    const now = turn();
    return now > 4 && now % 3 === 0;
  };
}
