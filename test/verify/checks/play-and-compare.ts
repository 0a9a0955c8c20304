import { expect } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import type { VerifyOptions } from "../../../src/verify/options.ts";
import { type Faults, play } from "./faulty-provider.ts";

export const options = { only: ["meaning"] } satisfies Partial<VerifyOptions>;

/** What must be as before. `updatedAt` is not: it tells of every touch. */
function stateOf(sandbox: Sandbox): unknown {
  return sandbox.shifts.map(({ updatedAt: _, assigned, ...shift }) => ({
    ...shift,
    assigned: [...assigned.keys()],
  }));
}

/** Somebody whom an update could take off. */
export function withSomebodyOn({ shifts, candidates }: Sandbox): undefined {
  const [candidate] = candidates;
  if (candidate) shifts[0]?.assigned.set(candidate.id, "2026-01-01T00:00:00Z");
}

/** Verifies, and sees that the sandbox's shifts and assignments are as they were. */
export async function playAndCompare(scene: Parameters<typeof play>[0]) {
  let before: unknown;
  const prepare: NonNullable<typeof scene.prepare> = (sandbox) => {
    const more = scene.prepare?.(sandbox);
    before = stateOf(sandbox);
    return more;
  };
  const played = await play({ options, ...scene, prepare });
  return { ...played, isAsBefore: () => expect(stateOf(played.sandbox)).toEqual(before) };
}

/** The fault, and the only error that it may give. */
export type Case = readonly [name: string, faults: Faults, expected: string];
