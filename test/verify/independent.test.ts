import { describe, expect, it } from "vitest";
import { uuidFrom } from "../../src/verify/http-target.ts";
import type { VerifyOptions } from "../../src/verify/options.ts";
import { verify } from "../../src/verify/verify.ts";
import { exceptions } from "./independent/exceptions.ts";
import { flagsFor, hasPython, listFaults, type PlantedFault, startIndependent } from "./independent/start.ts";
import { toldOf } from "./verify-sandbox.ts";

/** `SEED=7` takes other shuffled forms and other faults; `FAULTS=all` takes every fault, which takes some minutes. */
const SEED = Number(process.env.SEED ?? 1);
const SAMPLE = 60;
const SHUFFLED = 12;
/** Nothing else hangs that long here. */
const SHORT_MS = 1_500;
/** The replay of the contracts starts a process: a few runs are enough for it. */
const skip = ["contracts"] as const;

async function verified(flags: readonly string[], options: Partial<VerifyOptions> = { skip }) {
  const { close, ...provider } = await startIndependent(flags);
  try {
    return await verify({ ...provider, seed: SEED, ...options });
  } finally {
    await close();
  }
}

/** Each fault in the same place for the same seed, wherever it stands in the list. */
function sampled(faults: readonly PlantedFault[]): PlantedFault[] {
  const rank = ({ name }: PlantedFault) => uuidFrom(`${SEED} ${name}`);
  const shuffled = faults.toSorted((one, other) => rank(one).localeCompare(rank(other)));
  return process.env.FAULTS === "all" ? shuffled : shuffled.slice(0, SAMPLE);
}

const all = hasPython ? listFaults() : [];
const isException = ({ name }: PlantedFault) => name in exceptions;

const chosen: [string, string[]][] = [
  ["the forms that it has by itself", []],
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
  ["nothing but hyphens", ["--accepts", "hyphenated", "--numbers", "hyphenated", "--registry", "paged"]],
];
const shuffled = Array.from({ length: SHUFFLED }, (_, index): [string, string[]] => {
  const seed = SEED * 1_000 + index;
  return [`shuffled, --shuffle ${seed}`, ["--shuffle", String(seed)]];
});

describe.skipIf(!hasPython)(`a provider in Python, written from the contract alone (SEED=${SEED})`, () => {
  it.concurrent.each([...chosen, ...shuffled])("has no error: %s", async (_, flags) => {
    expect(toldOf(await verified(flags), "error")).toEqual([]);
  });

  it.each([...chosen.slice(0, 2), ...shuffled.slice(0, 1)])(
    "has no error, with the replay of the contracts: %s",
    async (_, flags) => {
      expect(toldOf(await verified(flags, {}), "error")).toEqual([]);
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
    expect(toldOf(verification, "error")).toEqual([]);
    const codes = new Set(verification.findings.filter(isWarning).map(({ code }) => code));
    // It has no problem documents, with a fault and without.
    codes.delete("error_not_problem");
    const { warning } = exceptions[fault.name] ?? {};
    expect([...codes]).toEqual(warning === undefined ? [] : [warning]);
  });

  it("has every fault of the exceptions", () => {
    const names = new Set(all.map(({ name }) => name));
    expect(Object.keys(exceptions).filter((name) => !names.has(name))).toEqual([]);
  });
});

const isWarning = ({ severity }: { severity: string }) => severity === "warning";
