import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** The first column of each table of spec/decisions.md. */
const DECISIONS = [
  ...readFileSync(new URL("../spec/decisions.md", import.meta.url), "utf8").matchAll(
    /^\| (?!open point|point|-)(.+?) \| /gm,
  ),
].map(([, point = ""]) => point.replaceAll("`", "").trim());

const inTests = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const rows = readFileSync(inTests("decisions.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .slice(2)
  .map((line) => {
    const [decision = "", path = "", name = "", ...rest] = line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim().replaceAll("`", ""));
    return { decision, path, name, rest };
  });

/** As a title, what a call begins with: of a test that runs, or of a group of them. */
function isTitleIn(source: string, name: string): boolean {
  const called = String.raw`\b(?:it|test|describe)(?:\.(?:each|for|prop)\b[^;]*?)?\(\s*`;
  return ['"', "`"].some((quote) => new RegExp(`${called}${quote}${escaped(name)}${quote}`).test(source));
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

describe("the table of decisions", () => {
  it("has every one of them, in order", () => {
    expect(DECISIONS.length).toBeGreaterThan(40);
    const decisions = rows.map(({ decision }) => decision);
    expect(decisions.filter((each, index) => each !== decisions[index - 1])).toEqual(DECISIONS);
  });

  it("names tests that there are, each of them once for a decision", () => {
    const missing = rows.filter(({ path, name, rest }) => {
      const file = inTests(path);
      return rest.length > 0 || !existsSync(file) || !isTitleIn(readFileSync(file, "utf8"), name);
    });
    expect(missing).toEqual([]);
    expect(new Set(rows.map((row) => Object.values(row).join("|"))).size).toBe(rows.length);
  });
});
