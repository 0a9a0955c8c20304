import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { CouldNotRun } from "../../src/verify/connection-errors.ts";
import type { OperationId } from "../../src/verify/exchange.ts";
import { type Call, type Faults, run } from "../harness/faulty-provider.ts";

interface Stopped {
  error: unknown;
  sandbox: Sandbox;
  /** Calls after the stop. */
  later: (OperationId | undefined)[];
}

/** Stops the verification at the response to the nth call of an operation. */
async function stopped(operation: OperationId, turn: number, more: object = {}): Promise<Stopped> {
  const controller = new AbortController();
  const later: Stopped["later"] = [];
  let provider: Sandbox | undefined;
  let turns = 0;
  const faults: Faults = {
    before: (call: Call) => {
      if (controller.signal.aborted) later.push(call.operation);
      return undefined;
    },
    after: (_, call) => {
      if (call.operation === operation && ++turns === turn) controller.abort();
      return undefined;
    },
  };
  const prepare = (sandbox: Sandbox) => {
    provider = sandbox;
    return undefined;
  };
  const options = { skip: ["contracts"] as const, signal: controller.signal, ...more };
  const error = await run({ faults, options, prepare }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!provider) throw new Error("the sandbox was not prepared");
  return { error, sandbox: provider, later };
}

describe("a verification that is stopped", () => {
  it.each<[OperationId, number]>([
    ["assignCandidate", 1],
    ["assignCandidate", 4],
    ["updateShift", 2],
    ["updateShift", 4],
    ["createCandidate", 1],
    ["unassignCandidate", 3],
  ])("after %s, call %i, leaves the shift unchanged", async (operation, turn) => {
    const { error, sandbox, later } = await stopped(operation, turn, { concurrency: 1 });
    expect(error).toBeInstanceOf(CouldNotRun);
    expect((error as Error).message).toMatch(/^stopped before the end; the shift \S+ is unchanged/);
    expect(sandbox.shifts[0]).toMatchObject({ positions: 2, assigned: new Map() });
    expect(later).not.toContain("createCandidate");
    expect(later.length).toBeLessThan(15);
  });

  it("reports no change when read-only, and makes no further call", async () => {
    const { error, later } = await stopped("listOutlets", 3, { concurrency: 1, readOnly: true });
    expect((error as Error).message).toBe("stopped before the end; nothing was changed");
    expect(later).toEqual([]);
  });

  it("does not wait after a 429", async () => {
    const controller = new AbortController();
    const faults: Faults = {
      before: ({ operation }) =>
        operation === "listRoles" ? { status: 429, headers: { "retry-after": "30" }, body: "" } : undefined,
    };
    const wait = () => {
      controller.abort();
      return new Promise<void>(() => undefined);
    };
    const options = { skip: ["contracts"] as const, signal: controller.signal, wait };
    await expect(run({ faults, options })).rejects.toThrow("stopped before the end");
  });

  it("makes no call if the signal is already aborted", async () => {
    const calls: number[] = [];
    const faults: Faults = { before: () => void calls.push(1) };
    const options = { signal: AbortSignal.abort(), only: ["answers"] as const };
    await expect(run({ faults, options })).rejects.toThrow("stopped before the end; nothing was changed");
    expect(calls).toEqual([]);
  });

  it("during the replay of contracts ends the replay", async () => {
    const { error, sandbox } = await stopped("assignCandidate", 3, { skip: [], only: ["contracts"] });
    expect((error as Error).message).toMatch(/^stopped before the end; the shift \S+ is unchanged/);
    expect(sandbox.shifts[0]).toMatchObject({ positions: 2, assigned: new Map() });
  });
});

it("a signal that is not aborted has no effect", async () => {
  const { signal } = new AbortController();
  const { verification } = await run({ options: { only: ["answers"], signal } });
  expect(verification.findings.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(verification.summary.verdict).toBe("conforms");
});
