import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import type { VerifyOptions } from "../../../src/verify/options.ts";
import { dialects } from "./dialects.ts";
import { type Faults, KNOWN_NUMBER, play, told } from "./faulty-provider.ts";
import { type Body, instead, noContent, refusal, spoil } from "./spoil.ts";

const options = { only: ["cancellation"] } satisfies Partial<VerifyOptions>;

/** The group alone checks nothing without a shift that may be cancelled, and a run that checks nothing fails. */
const withAnswers = { only: ["answers", "cancellation"] } satisfies Partial<VerifyOptions>;

const cancelled = ({ shifts }: Sandbox) => shifts.map((shift) => shift.cancelled);

describe("a correct provider", () => {
  it.each(dialects)("loses one shift and nothing else: %s", async (_, dialect) => {
    const { verification, sandbox } = await play({ dialect, options });
    expect(verification.findings.filter(({ severity }) => severity !== "skipped")).toEqual([]);
    expect(verification.forms.deleted).toBe(dialect.deleted ?? "404");
    expect(cancelled(sandbox)).toEqual([false, true]);
    expect(sandbox.shifts.map(({ assigned }) => assigned.size)).toEqual([0, 0]);
  });

  it("may have one shift for everything", async () => {
    const { verification, sandbox } = await play({
      options: { only: ["answers", "meaning", "cancellation"] },
      prepare: ({ shifts: [shift] }) => ({
        fixtures: { shiftId: shift?.id ?? "", cancellableShiftId: shift?.id ?? "" },
      }),
    });
    expect(told(verification)).toEqual([]);
    expect(cancelled(sandbox)).toEqual([true, false]);
    expect(sandbox.shifts.map(({ assigned }) => assigned.size)).toEqual([0, 0]);
  });

  it("is not accused of a shift that an earlier run has cancelled", async () => {
    const { verification } = await play({
      options: withAnswers,
      prepare: ({ shifts: [, shift] }) => {
        if (shift) shift.cancelled = true;
        return undefined;
      },
    });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "skipped")).toContain("skipped_not_prepared cancelShift");
  });

  it("may assign to a shift that says that it is cancelled", async () => {
    const dialect = { variant: "b", deleted: "cancelled" } as const;
    const { verification } = await play({ dialect, faults: assignsToAll(), options });
    expect(told(verification)).toEqual([]);
  });

  it.each([
    ["skipped_read_only", { readOnly: true }],
    ["skipped_not_prepared", { fixtures: { knownPersonalNumber: KNOWN_NUMBER } }],
  ] as const)("keeps its shift: %s", async (code, more) => {
    const { verification, sandbox } = await play({ options: { ...withAnswers, ...more } });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "skipped")).toContain(`${code} cancelShift`);
    expect(cancelled(sandbox)).toEqual([false, false]);
  });
});

describe("what is wrong with a cancellation is found:", () => {
  const cases: readonly (readonly [string, Faults, string])[] = [
    [
      "a cancellation that does nothing",
      instead("cancelShift", noContent),
      "cancel_without_effect cancelShift",
    ],
    ["a cancellation that is refused", instead("cancelShift", refusal(409)), "request_refused cancelShift"],
    ["an assignment to a shift that is gone", assignsToAll(), "cancelled_assigned assignCandidate"],
    ["a cancellation of every shift", cancelsAll(), "shift_changed_unasked cancelShift"],
    ["a cancelled shift that stays open", staysOpen(), "cancel_without_effect cancelShift"],
  ];

  it.each(cases)("%s", async (_, faults, expected) => {
    const { verification } = await play({ dialect: {}, faults, options });
    expect(told(verification)).toEqual([expected]);
  });
});

/** 204, also for shifts that are cancelled. */
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

/** The shift is told as it was before. */
function staysOpen(): Faults {
  const told = new Map<string, Body>();
  const remember = spoil("getShift", (body, { url }) => {
    told.set(url, body);
    return body;
  });
  return {
    after: (reply, sent, sandbox) => {
      const before = told.get(sent.url);
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
