import { describe, expect, it } from "vitest";
import { dialectName } from "../../src/contract/dialect.ts";
import { CouldNotRun } from "../../src/verify/connection-errors.ts";
import { coveringDialects, groupsOf } from "../harness/fault-row.ts";
import { faultRows, plantedFaults } from "../harness/fault-rows.ts";
import { codesOf, type Setup, verifySandbox } from "./verify-sandbox.ts";

/** `RUNS=100 PROOFS=all npx vitest run test/verify/one-verdict`: a hundred runs of each, in about an hour. */
const RUNS = Number(process.env.RUNS ?? 2);
/** Longer than any response here. */
const SHORT_MS = 400;

/** The verdict with the codes of its errors, or why the run could not begin. */
async function verdictOf(setup: Setup): Promise<string> {
  try {
    const { verification } = await verifySandbox(setup);
    return `${verification.summary.verdict}: ${codesOf(verification, "error").toSorted().join(", ")}`;
  } catch (error) {
    if (error instanceof CouldNotRun) return `could not run: ${error.message.replace(/:\d+/, "")}`;
    throw error;
  }
}

/** Returns the distinct results of so many runs without a seed, each of a new provider. */
async function distinct(setup: Setup): Promise<string[]> {
  const results = new Set<string>();
  for (let run = 1; run <= RUNS; run += 1) {
    results.add(await verdictOf(setup));
  }
  return [...results];
}

describe(`${RUNS} runs give one verdict`, () => {
  it.each(coveringDialects.map((dialect) => ({ dialect, name: dialectName(dialect) })))(
    "of a correct provider: $name",
    async ({ dialect }) => {
      expect(await distinct({ dialect, options: { skip: ["contracts"] } })).toEqual(["conforms: "]);
    },
  );

  it.each(plantedFaults())("of a provider with the fault $fault", async ({ fault, dialect }) => {
    const row = faultRows.find((each) => each.fault === fault);
    const only = row && groupsOf(row, row.each?.[0]);
    const limit = fault === "slow" ? { timeoutMs: SHORT_MS } : {};
    const options = { ...(only && only.length > 0 ? { only } : { skip: ["contracts"] as const }), ...limit };
    const verdicts = (await distinct({ dialect, options, prepare: ({ setFault }) => setFault(fault) })).map(
      (each) => each.split(":")[0],
    );
    expect(new Set(verdicts).size).toBe(1);
  });
});
