import { afterAll, describe, expect, it } from "vitest";
import { accessCodes, answerCodes } from "../../src/verify/codes/answers.ts";
import { type AnyCode, entryOf } from "../../src/verify/codes/codes.ts";
import { meaningCodes } from "../../src/verify/codes/meaning.ts";
import { inputCodes } from "../../src/verify/codes/run.ts";
import type { Choice } from "../../src/verify/groups.ts";
import type { VerifyOptions } from "../../src/verify/options.ts";
import { formLabels } from "../../src/verify/reporters/report-content.ts";
import { verify } from "../../src/verify/verify.ts";
import { EVERY } from "../harness/fault-row.ts";
import { elsewhere, type IndependentRow, independentRows, onEveryOperation } from "../harness/fault-rows.ts";
import { endIndependent, flagsFor, hasPython, listFaults, startIndependent } from "./independent/start.ts";
import { codesOf } from "./verify-sandbox.ts";

/** `SEED=7` selects other shuffled forms; `FAULTS=all` runs every group for each fault, which takes some minutes. */
const SEED = Number(process.env.SEED ?? 1);
const SHUFFLED = 12;
/** Longer than any response here. */
const SHORT_MS = 1_500;
/** The replay of the contracts is slow: a few runs are enough. */
const skip = ["contracts"] as const;

async function verified(flags: readonly string[], options: Partial<VerifyOptions> = { skip }) {
  const { close, ...provider } = await startIndependent(flags);
  try {
    return await verify({ ...provider, seed: SEED, wait: () => Promise.resolve(), ...options });
  } finally {
    close();
  }
}

afterAll(endIndependent);

const all = hasPython ? listFaults() : [];

/** The rows take turns with these forms. A later flag of the fault itself replaces one. */
const FORMS: readonly (readonly string[])[] = [
  [],
  ["--variant", "b", "--routing", "header", "--not-found", "404"],
  ["--routing", "header", "--ack", "minimal"],
  ["--variant", "b", "--not-found", "404", "--ack", "minimal"],
];

function flagsOf(fault: string, turn: number): string[] {
  const planted = all.find(({ name }) => name === fault);
  const forms = FORMS[turn % FORMS.length] ?? [];
  return planted ? ["--style", "coded", ...forms, ...flagsFor(planted)] : [];
}

/** Returns the groups that detect the codes. The dialect detection always runs, and calls most operations. */
function choiceFor({ fault, codes }: IndependentRow): Choice {
  const [code] = codes;
  const isElsewhere = code === undefined || code === "server_error" || elsewhere.includes(fault);
  if (codes.includes("contract_broken")) return {};
  if (isElsewhere || process.env.FAULTS === "all") return { skip };
  if (code in accessCodes) return { only: [code.startsWith("auth") ? "authentication" : "tenants"] };
  if (code in inputCodes || /^error_|^token_leaked/.test(code)) return { only: ["errors"] };
  return { only: ["answers", "meaning", "registry", "cancellation"] };
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
  ["minimal acknowledgement, own names", ["--ack", "minimal", "--update-names", "own", "--update", "none"]],
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

  it.concurrent.each(independentRows.map((row, turn) => ({ ...row, turn })))(
    "reports $codes for the fault $fault",
    async ({ fault, codes, turn }) => {
      const { findings } = await verified(flagsOf(fault, turn), {
        ...choiceFor({ fault, codes }),
        ...(/hang/.test(fault) && { timeoutMs: SHORT_MS }),
      });
      const wrong = findings.filter(({ severity }) => severity !== "skipped");
      const found = new Set(wrong.map(({ code }) => code));
      if (codes.length === 0) expect([...found]).toEqual([]);
      else expect([...found]).toEqual(expect.arrayContaining([...codes]));
      const isError = codes.some((code) => entryOf(code).severity === "error");
      expect(wrong.some(({ severity }) => severity === "error")).toBe(isError);
      if (!onEveryOperation.includes(fault)) return;
      const places = wrong
        .filter(({ code }) => code === codes[0])
        .flatMap(({ operation, places }) => places ?? operation);
      expect(places).toEqual(expect.arrayContaining([...EVERY]));
    },
  );

  it("has the form of its personal numbers in the dialect, whichever form finds a candidate", async () => {
    const { forms } = await verified(["--numbers", "hyphenated"], { only: ["answers"] });
    expect(forms).toMatchObject({ numbers: "digits", returned: "hyphenated" });
    expect(formLabels(forms)).toContainEqual(["personal numbers", "YYYYMMDD-XXXX"]);
  });

  it("has every fault in the table", () => {
    const names = independentRows.map(({ fault }) => fault);
    expect(names.toSorted()).toEqual(all.map(({ name }) => name).toSorted());
  });
});

it("the table has every code of responses, access, input and behaviour", () => {
  const there = new Set(independentRows.flatMap(({ codes }) => codes));
  const codes = Object.keys({ ...answerCodes, ...accessCodes, ...inputCodes, ...meaningCodes });
  expect(codes.filter((code) => !there.has(code as AnyCode))).toEqual([]);
});
