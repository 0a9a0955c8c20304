import { describe, expect, it } from "vitest";
import { uuidFrom } from "../../src/verify/http-target.ts";
import type { VerifyOptions } from "../../src/verify/options.ts";
import { verify } from "../../src/verify/verify.ts";
import { exceptions } from "./independent/exceptions.ts";
import { flagsFor, hasPython, listFaults, type PlantedFault, startIndependent } from "./independent/start.ts";
import { codesOf } from "./verify-sandbox.ts";

/** `SEED=7` selects other shuffled forms and faults; `FAULTS=all` tests every fault, which takes some minutes. */
const SEED = Number(process.env.SEED ?? 1);
const SAMPLE = 60;
const SHUFFLED = 12;
/** Longer than any response here. */
const SHORT_MS = 1_500;
/** The replay of the contracts is slow: a few runs are enough. */
const skip = ["contracts"] as const;

async function verified(flags: readonly string[], options: Partial<VerifyOptions> = { skip }) {
  const { close, ...provider } = await startIndependent(flags);
  try {
    return await verify({ ...provider, seed: SEED, ...options });
  } finally {
    await close();
  }
}

/** Returns a sample that depends on the seed, and not on the order of the list. */
function sampled(faults: readonly PlantedFault[]): PlantedFault[] {
  const rank = ({ name }: PlantedFault) => uuidFrom(`${SEED} ${name}`);
  const shuffled = faults.toSorted((one, other) => rank(one).localeCompare(rank(other)));
  return process.env.FAULTS === "all" ? shuffled : shuffled.slice(0, SAMPLE);
}

const all = hasPython ? listFaults() : [];
const isException = ({ name }: PlantedFault) => name in exceptions;

const chosen: [string, string[]][] = [
  ["default forms", []],
  [
    "variant B, header, DELETE",
    ["--variant", "b", "--routing", "header", "--unassign", "delete", "--not-found", "404"],
  ],
  [
    "variant B, short ids, problems",
    ["--variant", "b", "--ids", "short", "--style", "problem", "--deleted", "cancelled"],
  ],
  [
    "minimal acknowledgement, strict names",
    ["--ack", "minimal", "--update-names", "strict", "--update", "none"],
  ],
  ["hyphenated numbers only", ["--accepts", "hyphenated", "--numbers", "hyphenated", "--registry", "paged"]],
];
const shuffled = Array.from({ length: SHUFFLED }, (_, index): [string, string[]] => {
  const seed = SEED * 1_000 + index;
  return [`shuffled, --shuffle ${seed}`, ["--shuffle", String(seed)]];
});

describe.skipIf(!hasPython)(`a provider in Python, written from the contract alone (SEED=${SEED})`, () => {
  it.concurrent.each([...chosen, ...shuffled])("has no error: %s", async (_, flags) => {
    expect(codesOf(await verified(flags), "error")).toEqual([]);
  });

  it.each([...chosen.slice(0, 2), ...shuffled.slice(0, 1)])(
    "has no error, with the replay of the contracts: %s",
    async (_, flags) => {
      expect(codesOf(await verified(flags, {}), "error")).toEqual([]);
    },
  );

  it.concurrent.each(sampled(all.filter((fault) => !isException(fault))))(
    "fails with the fault $name: $about",
    async (fault) => {
      const timeoutMs = /hang/.test(fault.name) ? { timeoutMs: SHORT_MS } : {};
      const { summary } = await verified(flagsFor(fault), { skip, ...timeoutMs });
      expect(summary.verdict).toBe("fails");
    },
  );

  it.concurrent.each(all.filter(isException))("has no error with the fault $name: $about", async (fault) => {
    const verification = await verified(flagsFor(fault));
    expect(codesOf(verification, "error")).toEqual([]);
    const codes = new Set(verification.findings.filter(isWarning).map(({ code }) => code));
    // It never returns problem documents.
    codes.delete("error_not_problem");
    const { warning } = exceptions[fault.name] ?? {};
    expect([...codes]).toEqual(warning === undefined ? [] : [warning]);
  });

  it("knows every fault of the exceptions", () => {
    const names = new Set(all.map(({ name }) => name));
    expect(Object.keys(exceptions).filter((name) => !names.has(name))).toEqual([]);
  });
});

const isWarning = ({ severity }: { severity: string }) => severity === "warning";
