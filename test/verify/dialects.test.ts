import { describe, expect, it } from "vitest";
import { dialectName, everyDialect } from "../../src/contract/dialect.ts";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import type { ProviderActions } from "../../src/sandbox/provider-actions.ts";
import type { Forms } from "../../src/sandbox/shift-body.ts";
import { coveringDialects } from "../harness/fault-row.ts";
import { codesOf, type Setup, type Verified, verifySandbox } from "./verify-sandbox.ts";

/** Returns the data that a verification must not change, without the time of the last change. */
function remembered({ shifts, outlets, roles }: ProviderActions, except?: string) {
  const kept = shifts.filter(({ id }) => id !== except);
  return structuredClone({ outlets, roles, shifts: kept.map(({ updatedAt: _, ...shift }) => shift) });
}

interface Left extends Verified {
  before: ReturnType<typeof remembered>;
  peopleBefore: string[];
}

async function verified(setup: Setup): Promise<Left> {
  let before: Left["before"] | undefined;
  let peopleBefore: string[] = [];
  const result = await verifySandbox({
    ...setup,
    prepare: (sandbox) => {
      setup.prepare?.(sandbox);
      before = remembered(sandbox, sandbox.shifts.at(-1)?.id);
      peopleBefore = sandbox.candidates.map(({ id }) => id);
    },
  });
  if (!before) throw new Error("the state before was not recorded");
  return { ...result, before, peopleBefore };
}

function expectLeftAsItWas({ sandbox, before, peopleBefore, cancellableShiftId }: Left): void {
  expect(remembered(sandbox, cancellableShiftId)).toEqual(before);
  expect(sandbox.candidates.slice(0, peopleBefore.length).map(({ id }) => id)).toEqual(peopleBefore);
  const added = sandbox.candidates.slice(peopleBefore.length);
  expect(added.map(({ lastName }) => lastName)).toEqual(added.map(() => "Provning"));
}

/** The replay of the contracts takes a second for each dialect, and has its own test. */
const skip = ["contracts"] as const;

describe("a correct provider conforms without a warning, and is unchanged afterwards", () => {
  it.each(everyDialect().map((dialect) => [dialectName(dialect), dialect] as const))(
    "%s",
    async (_, dialect) => {
      const left = await verified({ dialect, options: { skip } });
      const { verification, sandbox, cancellableShiftId } = left;
      expect([codesOf(verification, "error"), codesOf(verification, "warning")]).toEqual([[], []]);
      expect(verification.summary.verdict).toBe("conforms");
      expect(sandbox.shift(cancellableShiftId)?.cancelled).toBe(true);
      expectLeftAsItWas(left);
    },
  );

  const furtherForms: [string, Partial<Forms>, string[]][] = [
    ["both unassignments", { unassign: "both" }, []],
    ["a deleted shift is gone", { deleted: "410" }, []],
    ["a deleted shift has the status cancelled", { variant: "b", deleted: "cancelled" }, []],
    ["an update returns no content", { updateAnswer: 204 }, []],
    ["a creation returns 200", { createAnswer: 200 }, []],
    ["no registry", { registry: false }, []],
    ["an assignment echoes", { assignEchoes: true, echoTraceId: "same" }, []],
    [
      "one form of personal numbers",
      { personalNumbers: "hyphenated" },
      ["number_form_ignored findCandidates"],
    ],
    [
      "one form of personal numbers, variant B",
      { variant: "b", personalNumbers: "hyphenated", notFound: "404" },
      ["number_form_ignored findCandidates"],
    ],
  ];

  it.each(furtherForms)("%s", async (_, dialect, warnings) => {
    const left = await verified({ dialect, options: { skip } });
    expect(codesOf(left.verification, "error")).toEqual([]);
    expect(codesOf(left.verification, "warning")).toEqual(warnings);
    expectLeftAsItWas(left);
  });

  it("with the replay of the contracts", async () => {
    const left = await verified({ dialect: coveringDialects[1] ?? {} });
    expect([codesOf(left.verification, "error"), codesOf(left.verification, "warning")]).toEqual([[], []]);
  });

  it("in a read-only run, which adds no candidate", async () => {
    const left = await verified({ dialect: {}, options: { readOnly: true, skip } });
    const { sandbox, verification, cancellableShiftId, peopleBefore } = left;
    expect(codesOf(verification, "error")).toEqual([]);
    expect(sandbox.shift(cancellableShiftId)?.cancelled).toBe(false);
    expect(sandbox.candidates).toHaveLength(peopleBefore.length);
    expectLeftAsItWas(left);
  });
});

describe("the same seed gives the same findings", () => {
  const faults: FaultName[] = [
    "no-token-accepted",
    "assign-again-refused",
    "invalid-now-and-then",
    "errors-as-html",
  ];

  it.each(faults)("%s", async (fault) => {
    const findings = async () => {
      const { verification } = await verifySandbox({
        dialect: { unassign: "put" },
        // Which call is every fifth one depends on how many are sent at once.
        options: { skip, seed: 7, ...(fault.endsWith("now-and-then") && { concurrency: 1 }) },
        prepare: ({ setFault }) => setFault(fault),
      });
      return verification.findings.map(
        ({ reproduce: _, fix: __, section: ___, count: ____, ...rest }) => rest,
      );
    };
    const first = await findings();
    expect(first.some(({ severity }) => severity !== "skipped")).toBe(true);
    expect(await findings()).toEqual(first);
  });
});
