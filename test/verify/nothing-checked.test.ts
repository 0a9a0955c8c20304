import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { OperationId } from "../../src/verify/exchange.ts";
import { type Group, groups } from "../../src/verify/groups.ts";
import type { VerifyOptions } from "../../src/verify/options.ts";
import { verifySandbox } from "./verify-sandbox.ts";

async function verified(options: Partial<VerifyOptions>) {
  const { verification } = await verifySandbox({ dialect: {}, options });
  const nothing = verification.findings.find(({ code }) => code === "nothing_checked");
  return { verdict: verification.summary.verdict, nothing };
}

describe("a run that makes no chosen check", () => {
  it.each<[string, Partial<VerifyOptions>, RegExp]>([
    [
      "no shift",
      { only: ["cancellation"], fixtures: {} },
      /^none: no shift that may be cancelled: provide --fixtures/,
    ],
    ["read only", { only: ["cancellation"], readOnly: true }, /^none: it would change data$/],
    [
      "an unknown shift",
      { only: ["cancellation"], fixtures: { cancellableShiftId: "x" } },
      /^none: it is already cancelled/,
    ],
    [
      "no other organisation",
      { only: ["tenants"], fixtures: {}, readOnly: true, skip: ["tenants"] },
      /leave no group$/,
    ],
    ["every group skipped", { skip: groups }, /^none: --only and --skip leave no group$/],
    ["no group chosen", { only: [] }, /^none: --only and --skip leave no group$/],
  ])("fails: %s", async (_, options, actual) => {
    const { verdict, nothing } = await verified(options);
    expect(verdict).toBe("fails");
    expect(nothing).toMatchObject({
      severity: "error",
      operation: "provider",
      actual: expect.stringMatching(actual),
    });
  });

  it("has a finding in a chosen group that lists the chosen groups", async () => {
    const places: Group[] = [];
    const { nothing } = await verified({
      only: ["cancellation", "contracts"],
      skip: ["contracts"],
      fixtures: {},
      onEvent: (event) => {
        if (event.type === "finding" && event.finding.code === "nothing_checked") places.push(event.group);
      },
    });
    expect(nothing?.expected).toBe("at least one check in cancellation");
    expect(places).toEqual(["cancellation"]);
  });
});

describe("a run that makes a chosen check", () => {
  it.each<[string, Partial<VerifyOptions>]>([
    ["reachability alone", { only: ["reachability"], fixtures: {} }],
    ["the dialect alone", { only: ["dialect"], fixtures: {} }],
    ["a group that requires no operation", { only: ["errors"], fixtures: {}, readOnly: true }],
  ])("conforms: %s", async (_, options) => {
    const { verdict, nothing } = await verified(options);
    expect([verdict, nothing]).toEqual(["conforms", undefined]);
  });
});

describe("a run without a success of a required operation", () => {
  it.each<[string, Partial<VerifyOptions>, OperationId[]]>([
    [
      "without a shift",
      { only: ["meaning"], fixtures: {} },
      ["updateShift", "assignCandidate", "unassignCandidate"],
    ],
    [
      "without a shift to cancel",
      { only: ["answers", "cancellation"], fixtures: {} },
      ["getShift", "cancelShift"],
    ],
    ["of one operation", { operations: ["cancelShift"], fixtures: {} }, ["cancelShift"]],
    [
      "when read-only",
      { skip: ["contracts"], readOnly: true },
      ["createCandidate", "updateShift", "assignCandidate", "unassignCandidate", "cancelShift"],
    ],
  ])("is incomplete: %s", async (_, options, unseen) => {
    const { verification } = await verifySandbox({ dialect: {}, options });
    const { errors, verdict } = verification.summary;
    if (errors === 0) expect(verdict).toBe("incomplete");
    expect(verification.unseen).toEqual(unseen);
  });

  it("fails if there is an error", async () => {
    const options = { only: ["meaning"], fixtures: {} } as const;
    const prepare = ({ setFault }: Sandbox) => setFault("created-another");
    const { verification } = await verifySandbox({ dialect: {}, options, prepare });
    expect(verification.summary.verdict).toBe("fails");
  });
});
