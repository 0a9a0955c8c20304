import { describe, expect, it } from "vitest";
import { dialectName, everyDialect } from "../../src/contract/dialect.ts";
import type { Desk } from "../../src/sandbox/desk.ts";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import type { Forms } from "../../src/sandbox/forms.ts";
import { coveringDialects } from "./covering-dialects.ts";
import { type Played, type Scene, toldOf, verifySandbox } from "./verify-sandbox.ts";

/** What a verification must leave as it was; the time of the last change is no part of it. */
function remembered({ shifts, outlets, roles }: Desk, except?: string) {
  const kept = shifts.filter(({ id }) => id !== except);
  return structuredClone({ outlets, roles, shifts: kept.map(({ updatedAt: _, ...shift }) => shift) });
}

interface Left extends Played {
  before: ReturnType<typeof remembered>;
  peopleBefore: string[];
}

async function played(scene: Scene): Promise<Left> {
  let before: Left["before"] | undefined;
  let peopleBefore: string[] = [];
  const result = await verifySandbox({
    ...scene,
    prepare: (sandbox) => {
      scene.prepare?.(sandbox);
      before = remembered(sandbox, sandbox.shifts.at(-1)?.id);
      peopleBefore = sandbox.candidates.map(({ id }) => id);
    },
  });
  if (!before) throw new Error("nothing was remembered");
  return { ...result, before, peopleBefore };
}

function expectLeftAsItWas({ sandbox, before, peopleBefore, cancellableShiftId }: Left): void {
  expect(remembered(sandbox, cancellableShiftId)).toEqual(before);
  expect(sandbox.candidates.slice(0, peopleBefore.length).map(({ id }) => id)).toEqual(peopleBefore);
  const added = sandbox.candidates.slice(peopleBefore.length);
  expect(added.map(({ lastName }) => lastName)).toEqual(added.map(() => "Provning"));
}

/** The replay of the contracts has a test of its own: it takes a second for each dialect. */
const skip = ["contracts"] as const;

describe("a correct provider conforms, without a warning, and is left as it was", () => {
  it.each(everyDialect().map((dialect) => [dialectName(dialect), dialect] as const))(
    "%s",
    async (_, dialect) => {
      const left = await played({ dialect, options: { skip } });
      const { verification, sandbox, cancellableShiftId } = left;
      expect([toldOf(verification, "error"), toldOf(verification, "warning")]).toEqual([[], []]);
      expect(verification.summary.verdict).toBe("conforms");
      expect(sandbox.shift(cancellableShiftId)?.cancelled).toBe(true);
      expectLeftAsItWas(left);
    },
  );

  const furtherForms: [string, Partial<Forms>, string[]][] = [
    ["both unassignments", { unassign: "both" }, []],
    ["a deleted shift is gone", { deleted: "410" }, []],
    ["a deleted shift has the status cancelled", { variant: "b", deleted: "cancelled" }, []],
    ["an update is answered with nothing", { updateAnswer: 204 }, []],
    ["a creation is answered with 200", { createAnswer: 200 }, []],
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
    const left = await played({ dialect, options: { skip } });
    expect(toldOf(left.verification, "error")).toEqual([]);
    expect(toldOf(left.verification, "warning")).toEqual(warnings);
    expectLeftAsItWas(left);
  });

  it("with the replay of the contracts", async () => {
    const left = await played({ dialect: coveringDialects[1] ?? {} });
    expect([toldOf(left.verification, "error"), toldOf(left.verification, "warning")]).toEqual([[], []]);
  });

  it("read only: nothing is changed, and nobody is added", async () => {
    const left = await played({ dialect: {}, options: { readOnly: true, skip } });
    const { sandbox, verification, cancellableShiftId, peopleBefore } = left;
    expect(toldOf(verification, "error")).toEqual([]);
    expect(sandbox.shift(cancellableShiftId)?.cancelled).toBe(false);
    expect(sandbox.candidates).toHaveLength(peopleBefore.length);
    expectLeftAsItWas(left);
  });
});

describe("the same seed gives the same findings", () => {
  const faults: FaultName[] = [
    "tenant-ignored",
    "assign-takes-position",
    "invalid-now-and-then",
    "errors-as-text",
  ];

  it.each(faults)("%s", async (fault) => {
    const findings = async () => {
      const { verification } = await verifySandbox({
        dialect: { unassign: "put" },
        options: { skip, seed: 7 },
        prepare: ({ setFault }) => setFault(fault),
      });
      return verification.findings.map(
        ({ reproduce: _, fix: __, section: ___, count: ____, ...told }) => told,
      );
    };
    const first = await findings();
    expect(first.some(({ severity }) => severity !== "skipped")).toBe(true);
    expect(await findings()).toEqual(first);
  });
});
