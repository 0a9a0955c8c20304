import { describe, expect, it } from "vitest";
import type { VerifyOptions } from "../../../src/verify/options.ts";
import { codesOf, type Faults, KNOWN_NUMBER, run } from "../../harness/faulty-provider.ts";
import { type Body, spoilList, turns } from "./spoil.ts";

const options = { only: ["answers"] } satisfies Partial<VerifyOptions>;

describe("the responses of a correct provider", () => {
  it("may list entries in a different order each time", async () => {
    const turn = turns();
    const faults = spoilList("listOutlets", (list) => (turn() % 2 ? list.toReversed() : list));
    expect(codesOf((await run({ faults, options })).verification)).toEqual([]);
  });

  it("leave requirements that a client cannot observe unchecked, once each", async () => {
    const { findings } = (await run({ options })).verification;
    const notVisible = findings.filter(
      ({ code, title }) => code === "skipped_not_visible" && /^calls/.test(title),
    );
    expect(notVisible.map(({ count }) => count)).toEqual([1, 1]);
  });

  it("are not checked where fixtures are missing", async () => {
    const { verification } = await run({ options: { ...options, fixtures: {} } });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "skipped")).toContain("skipped_not_prepared findCandidates");
  });
});

describe("a violation in responses is reported", () => {
  it("without the number of a possibly real person", async () => {
    const { verification } = await run({ faults: hidesKnown(), options });
    const text = JSON.stringify(verification);
    expect(text).not.toContain(KNOWN_NUMBER);
    expect(text).not.toContain("18900116-9813");
  });
});

/** Finds everyone but the known candidate. */
function hidesKnown(): Faults {
  const isKnown = ({ personalNumber }: Body) => personalNumber === KNOWN_NUMBER;
  return spoilList("findCandidates", (list) => (list.some(isKnown) ? [] : list));
}
