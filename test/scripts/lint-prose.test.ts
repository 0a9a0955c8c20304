import { expect, it } from "vitest";
import { lintProse } from "../../scripts/lint-prose.ts";

it("names each word that a reader has to decode, its line, and what to write instead", () => {
  expect(lintProse("Sends a webhook.\n// Nobody was told.\nconst told = 1;")).toMatchObject([
    { line: 2, word: "told", instead: expect.stringContaining("notify") },
    { line: 3, word: "told" },
    { line: 2, word: "Nobody", instead: expect.stringContaining("actor") },
  ]);
});

it("accepts plain words, and names that only contain such a word", () => {
  expect(lintProse("The retold history of the user nobody: lookup-finds-nobody.")).toEqual([]);
});
