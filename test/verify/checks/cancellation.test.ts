import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import type { VerifyOptions } from "../../../src/verify/options.ts";
import { codesOf, type Faults, KNOWN_NUMBER, run } from "../../harness/faulty-provider.ts";
import { instead, noContent } from "./spoil.ts";

const options = { only: ["cancellation"] } satisfies Partial<VerifyOptions>;

/** Includes another group: without a cancellable shift the group checks nothing, and the run fails. */
const withAnswers = { only: ["answers", "cancellation"] } satisfies Partial<VerifyOptions>;

const cancelled = ({ shifts }: Sandbox) => shifts.map((shift) => shift.cancelled);

describe("a correct provider", () => {
  it("may have the same shift in both fixtures", async () => {
    const { verification, sandbox } = await run({
      options: { only: ["answers", "meaning", "cancellation"] },
      prepare: ({ shifts: [shift] }) => ({
        fixtures: { shiftId: shift?.id ?? "", cancellableShiftId: shift?.id ?? "" },
      }),
    });
    expect(codesOf(verification)).toEqual([]);
    expect(cancelled(sandbox)).toEqual([true, false]);
    expect(sandbox.shifts.map(({ assigned }) => assigned.size)).toEqual([0, 0]);
  });

  it("is not reported for a shift that an earlier run cancelled", async () => {
    const { verification } = await run({
      options: withAnswers,
      prepare: ({ shifts: [, shift] }) => {
        if (shift) shift.cancelled = true;
        return undefined;
      },
    });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "skipped")).toContain("skipped_not_prepared cancelShift");
  });

  it("may accept an assignment to a shift with the status cancelled", async () => {
    const dialect = { variant: "b", deleted: "cancelled" } as const;
    const { verification } = await run({ dialect, faults: assignsToAll(), options });
    expect(codesOf(verification)).toEqual([]);
  });

  it.each([
    ["skipped_read_only", { readOnly: true }],
    ["skipped_not_prepared", { fixtures: { knownPersonalNumber: KNOWN_NUMBER } }],
  ] as const)("keeps its shift with %s", async (code, more) => {
    const { verification, sandbox } = await run({ options: { ...withAnswers, ...more } });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "skipped")).toContain(`${code} cancelShift`);
    expect(cancelled(sandbox)).toEqual([false, false]);
  });
});

it("a cancellation of every shift is reported", async () => {
  const { verification } = await run({ dialect: {}, faults: cancelsAll(), options });
  expect(codesOf(verification)).toEqual(["shift_changed_unasked cancelShift"]);
});

/** Returns 204 even for cancelled shifts. */
function assignsToAll(): Faults {
  return instead("assignCandidate", noContent);
}

function cancelsAll(): Faults {
  return {
    after: (_, { operation }, { shifts }) => {
      if (operation === "cancelShift") for (const shift of shifts) shift.cancelled = true;
      return undefined;
    },
  };
}
