import { describe, expect, it } from "vitest";
import { type Group, groups } from "../../src/verify/groups.ts";
import type { VerifyOptions } from "../../src/verify/options.ts";
import { verifySandbox } from "./verify-sandbox.ts";

async function verified(options: Partial<VerifyOptions>) {
  const { verification } = await verifySandbox({ dialect: {}, options });
  const nothing = verification.findings.find(({ code }) => code === "nothing_checked");
  return { verdict: verification.summary.verdict, nothing };
}

describe("a run in which nothing of what was chosen is checked", () => {
  it.each<[string, Partial<VerifyOptions>, RegExp]>([
    [
      "no shift",
      { only: ["cancellation"], fixtures: {} },
      /^none: no shift that may be cancelled: give --fixtures/,
    ],
    ["read only", { only: ["cancellation"], readOnly: true }, /^none: it would change data$/],
    [
      "a shift that is not there",
      { only: ["cancellation"], fixtures: { cancellableShiftId: "x" } },
      /^none: it is cancelled/,
    ],
    [
      "no other organisation",
      { only: ["tenants"], fixtures: {}, readOnly: true, skip: ["tenants"] },
      /leave no group$/,
    ],
    ["every group left out", { skip: groups }, /^none: --only and --skip leave no group$/],
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

  it("is told with the groups that were chosen, and stands in one of them", async () => {
    const places: Group[] = [];
    const { nothing } = await verified({
      ...{ only: ["cancellation", "contracts"], skip: ["contracts"], fixtures: {} },
      onEvent: (event) => {
        if (event.type === "finding" && event.finding.code === "nothing_checked") places.push(event.group);
      },
    });
    expect(nothing?.expected).toBe("at least one check in cancellation");
    expect(places).toEqual(["cancellation"]);
  });
});

describe("a run in which something is checked", () => {
  it.each<[string, Partial<VerifyOptions>]>([
    ["reachability alone", { only: ["reachability"], fixtures: {} }],
    ["the dialect alone", { only: ["dialect"], fixtures: {} }],
    ["what needs no shift", { only: ["meaning"], fixtures: {} }],
    ["what needs no change", { only: ["meaning"], fixtures: {}, readOnly: true }],
    ["one group of two", { only: ["answers", "cancellation"], fixtures: {}, readOnly: true }],
    ["all but a few", { skip: ["contracts", "generated", "tenants"], fixtures: {}, readOnly: true }],
  ])("conforms: %s", async (_, options) => {
    const { verdict, nothing } = await verified(options);
    expect([verdict, nothing]).toEqual(["conforms", undefined]);
  });
});
