import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formsOfInteraction } from "../../src/verify/contracts.ts";
import { CONTRACTS, complaintOf, FOLDER, readContract } from "../harness/pact/contract-file.ts";

const textOf = (...interactions: object[]) => JSON.stringify({ interactions });
const reads = { description: "reads a shift", response: { status: 200 } };
const cancels = { description: "cancels a shift", response: { status: 204 } };

describe("a committed contract", () => {
  it("is accepted while its tests record the same", () => {
    expect(complaintOf("a.json", textOf(reads, cancels), textOf(reads, cancels))).toBeUndefined();
  });

  it.each([
    ["is changed", textOf(reads, cancels), textOf(reads, { ...cancels, response: { status: 200 } })],
    ["is new", textOf(reads), textOf(reads, cancels)],
    ["is gone", textOf(reads, cancels), textOf(reads)],
  ])("is reported when an interaction %s, by name and with the fix", (_, committed, written) => {
    const complaint = complaintOf("a.json", committed, written);
    expect(complaint).toBe(
      'contracts/a.json differs from its tests ("cancels a shift"). Fix it with: npm run contracts:write',
    );
  });

  it("is reported when its layout was changed by hand", () => {
    expect(complaintOf("a.json", ` ${textOf(reads)}`, textOf(reads))).toContain("its layout");
  });
});

describe("the folder of contracts", () => {
  const files = readdirSync(FOLDER);

  it("holds exactly two contracts of each direction", () => {
    expect(files.sort()).toEqual(Object.values(CONTRACTS).sort());
  });

  it.each(files)("names no machine in %s", (file) => {
    const text = readFileSync(join(FOLDER, file), "utf8");
    expect(text).not.toMatch(/https?:|localhost|127\.0\.0\.1|\/tmp|\/home|:\/\//);
  });
});

describe("the README beside this file", () => {
  const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");
  const interactions = (Object.keys(CONTRACTS) as (keyof typeof CONTRACTS)[]).flatMap(
    (name) => readContract(name).interactions,
  );
  /** The first column of the table under a heading. */
  const firstCells = (heading: string) => {
    const chapter = readme.split("\n## ").find((text) => text.startsWith(heading)) ?? "";
    return [...chapter.matchAll(/^\| `([^`]+)` *\|/gm)].map(([, cell]) => cell);
  };

  it("lists exactly the provider states of the contracts", () => {
    const asked = interactions.flatMap(({ providerStates = [] }) => providerStates.map(({ name }) => name));
    expect(firstCells("Provider states").sort()).toEqual([...new Set(asked)].sort());
  });

  it("lists exactly the forms of the interactions", () => {
    const named = interactions.flatMap(({ description }) => Object.keys(formsOfInteraction(description)));
    expect(firstCells("Which interactions").sort()).toEqual([...new Set(named)].sort());
  });
});
