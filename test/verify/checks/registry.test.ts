import { describe, expect, it } from "vitest";
import type { VerifyOptions } from "../../../src/verify/options.ts";
import { codesOf, type Faults, run } from "../../harness/faulty-provider.ts";
import { instead, refusal, spoil, turns } from "./spoil.ts";

const options = { only: ["registry"] } satisfies Partial<VerifyOptions>;

describe("the registry of a correct provider", () => {
  it.each(["404", "405", "501"])("may be absent: %s", async (status) => {
    const faults = instead("getCandidateRegistry", refusal(Number(status)));
    const { verification } = await run({ faults, options });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "skipped")).toContain("skipped_not_offered getCandidateRegistry");
  });

  it("may ignore limit and cursor", async () => {
    const { verification } = await run({ faults: everybodyAtOnce(), options });
    expect([...codesOf(verification), ...codesOf(verification, "warning")]).toEqual([]);
  });

  it("may be one response of up to 10 MB, as the platform reads it", async () => {
    const { verification } = await run({ faults: ofLength(9_900_000), options });
    expect(codesOf(verification)).toEqual([]);
  });

  it("may be empty", async () => {
    const faults = spoil("getCandidateRegistry", () => ({ candidates: [] }));
    const { verification } = await run({ faults, options });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "skipped")).toContain("skipped_not_prepared getCandidateRegistry");
  });
});

it("a registry that repeats its page with a new cursor each time is reported", async () => {
  const turn = turns();
  const endless = spoil("getCandidateRegistry", (body) => ({ ...body, nextCursor: `page ${turn()}` }));
  const { verification } = await run({ faults: { ...endless, ...everybodyAtOnce() }, options });
  expect(codesOf(verification)).toEqual(["registry_loops getCandidateRegistry"]);
});

it("a registry in one response of more than 10 MB is reported, with pages as the remedy", async () => {
  const { verification } = await run({ faults: ofLength(10_000_000), options });
  expect(verification.findings.filter(({ severity }) => severity === "error")).toEqual([
    expect.objectContaining({
      code: "registry_too_long",
      expected: "a page of the registry of at most 10 MB",
      fix: expect.stringContaining("Offer pages"),
    }),
  ]);
});

/** Adds a member of this length, which the contract does not define. */
function ofLength(length: number): Faults {
  return spoil("getCandidateRegistry", (body) => ({ ...body, filler: "x".repeat(length) }));
}

/** Returns all people: a provider may ignore the query. */
function everybodyAtOnce(): Faults {
  return instead("getCandidateRegistry", (call) => {
    call.url = call.url.replace(/\?.*$/, "");
    return undefined;
  });
}
