import { expect } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import type { VerifyOptions } from "../../../src/verify/options.ts";
import { type Faults, run } from "../../harness/faulty-provider.ts";

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
