import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import type { VerifyOptions } from "../../../src/verify/options.ts";
import { dialects } from "./dialects.ts";
import { codesOf, type Faults, KNOWN_NUMBER, run } from "./faulty-provider.ts";
import { type Body, instead, noContent, refusal, spoil } from "./spoil.ts";

const options = { only: ["cancellation"] } satisfies Partial<VerifyOptions>;

/** Includes another group: without a cancellable shift the group checks nothing, and the run fails. */
const withAnswers = { only: ["answers", "cancellation"] } satisfies Partial<VerifyOptions>;

const cancelled = ({ shifts }: Sandbox) => shifts.map((shift) => shift.cancelled);

describe("a correct provider", () => {
  it.each(dialects)("loses only the cancellable shift: %s", async (_, dialect) => {
    const { verification, sandbox } = await run({ dialect, options });
    expect(verification.findings.filter(({ severity }) => severity !== "skipped")).toEqual([]);
    expect(verification.forms.deleted).toBe(dialect.deleted ?? "404");
    expect(cancelled(sandbox)).toEqual([false, true]);
    expect(sandbox.shifts.map(({ assigned }) => assigned.size)).toEqual([0, 0]);
  });

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

describe("a violation in cancellations is reported:", () => {
  const cases: readonly (readonly [string, Faults, string])[] = [
    ["a cancellation without effect", instead("cancelShift", noContent), "cancel_without_effect cancelShift"],
    ["a refused cancellation", instead("cancelShift", refusal(409)), "request_refused cancelShift"],
    ["an assignment to a deleted shift", assignsToAll(), "cancelled_assigned assignCandidate"],
    ["a cancellation of every shift", cancelsAll(), "shift_changed_unasked cancelShift"],
    ["a cancelled shift that stays open", staysOpen(), "cancel_without_effect cancelShift"],
  ];

  it.each(cases)("%s", async (_, faults, expected) => {
    const { verification } = await run({ dialect: {}, faults, options });
    expect(codesOf(verification)).toEqual([expected]);
  });
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

/** Returns a cancelled shift in its previous state. */
function staysOpen(): Faults {
  const reads = new Map<string, Body>();
  const remember = spoil("getShift", (body, { url }) => {
    reads.set(url, body);
    return body;
  });
  return {
    after: (reply, sent, sandbox) => {
      const before = reads.get(sent.url);
      if (sent.operation !== "getShift" || reply.status !== 404 || !before)
        return remember.after?.(reply, sent, sandbox);
      return {
        ...reply,
        status: 200,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(before),
      };
    },
  };
}
