import { expect } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import type { Forms } from "../../../src/sandbox/shift-body.ts";
import type { OperationId } from "../../../src/verify/exchange.ts";
import type { VerifyOptions } from "../../../src/verify/options.ts";
import { type Call, type Faults, jsonReply, type Reply, run } from "../../harness/faulty-provider.ts";

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

/** Correct providers that together use every form. */
export const dialects: readonly (readonly [name: string, dialect: Partial<Forms>])[] = [
  ["variant A, path", { routing: "path" }],
  ["variant A, header, 404, DELETE", { routing: "header", notFound: "404", unassign: "delete" }],
  ["variant A, minimal, gone, no registry", { acknowledgement: "minimal", deleted: "410", registry: false }],
  ["variant B, PUT, update without a body", { variant: "b", unassign: "put", updateAnswer: 204 }],
  ["variant B, cancelled as a status", { variant: "b", deleted: "cancelled", createAnswer: 200 }],
  ["variant B, header, echoes", { variant: "b", routing: "header", notFound: "404", assignEchoes: true }],
];

/** Only `YYYYMMDD-XXXX` finds candidates, which is a warning. */
export const hyphenatedOnly: Partial<Forms> = { variant: "b", personalNumbers: "hyphenated" };

export const options = { only: ["meaning"] } satisfies Partial<VerifyOptions>;

/** Returns the state that must not change, without `updatedAt`. */
function stateOf(sandbox: Sandbox): unknown {
  return sandbox.shifts.map(({ updatedAt: _, assigned, ...shift }) => ({
    ...shift,
    assigned: [...assigned.keys()],
  }));
}

/** Verifies a sandbox. `isAsBefore` expects its shifts and assignments to be unchanged. */
export async function runAndCompare(setup: Parameters<typeof run>[0]) {
  let before: unknown;
  const prepare: NonNullable<typeof setup.prepare> = (sandbox) => {
    const more = setup.prepare?.(sandbox);
    before = stateOf(sandbox);
    return more;
  };
  const verified = await run({ options, ...setup, prepare });
  return { ...verified, isAsBefore: () => expect(stateOf(verified.sandbox)).toEqual(before) };
}

/** A fault, and the only error that it may cause. */
export type Case = readonly [name: string, faults: Faults, expected: string];
