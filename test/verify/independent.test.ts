import { describe, expect, it } from "vitest";
import { entryOf } from "../../src/verify/codes/codes.ts";
import { uuidFrom } from "../../src/verify/http-target.ts";
import type { VerifyOptions } from "../../src/verify/options.ts";
import { verify } from "../../src/verify/verify.ts";
import { type IndependentRow, independentRows } from "../harness/fault-rows.ts";
import { flagsFor, hasPython, listFaults, startIndependent } from "./independent/start.ts";
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
function sampled(rows: readonly IndependentRow[]): IndependentRow[] {
  const rank = ({ fault }: IndependentRow) => uuidFrom(`${SEED} ${fault}`);
  const shuffled = rows.toSorted((one, other) => rank(one).localeCompare(rank(other)));
  return process.env.FAULTS === "all" ? shuffled : shuffled.slice(0, SAMPLE);
}

const all = hasPython ? listFaults() : [];

function flagsOf(fault: string): string[] {
  const planted = all.find(({ name }) => name === fault);
  return planted ? flagsFor(planted) : [];
}

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

  it.concurrent.each(sampled(independentRows))(
    "reports $code for the fault $fault",
    async ({ fault, code }) => {
      const { findings } = await verified(flagsOf(fault), {
        skip,
        ...(/hang/.test(fault) && { timeoutMs: SHORT_MS }),
      });
      const codes = new Set(
        findings.filter(({ severity }) => severity !== "skipped").map((each) => each.code),
      );
      // It returns problem documents only with a flag.
      codes.delete("error_not_problem");
      if (code === undefined) expect([...codes]).toEqual([]);
      else expect([...codes]).toContain(code);
      const isError = code !== undefined && entryOf(code).severity === "error";
      expect(findings.some(({ severity }) => severity === "error")).toBe(isError);
    },
  );

  it("has every fault in the table", () => {
    const names = independentRows.map(({ fault }) => fault);
    expect(names.toSorted()).toEqual(all.map(({ name }) => name).toSorted());
  });
});
