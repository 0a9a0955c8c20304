import type { OperationId } from "../../../src/verify/exchange.ts";
import { type Call, type Faults, jsonReply, type Reply } from "../../harness/faulty-provider.ts";

/** A JSON body; for lists an array of these. */
export type Body = Readonly<Record<string, unknown>>;

/** Changes the body of each successful reply to the operation. */
export function spoil(operation: OperationId, change: (body: Body, sent: Call) => unknown): Faults {
  return {
    after: (reply, sent) =>
      sent.operation === operation && reply.status < 300 && reply.body !== ""
        ? { ...reply, body: JSON.stringify(change(JSON.parse(reply.body), sent)) }
        : undefined,
  };
}

/** Changes the list in each successful reply to the operation. */
export function spoilList(
  operation: OperationId,
  change: (list: readonly Body[]) => readonly unknown[],
): Faults {
  return spoil(operation, (body) => change(body as unknown as readonly Body[]));
}

/** Replies in place of the provider, which does not receive the call. */
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

/** Returns a counter from 1. */
export function turns(): () => number {
  let turn = 0;
  return () => {
    turn += 1;
    return turn;
  };
}
