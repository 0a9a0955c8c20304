import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { anchorOf, contractSections } from "../../scripts/contract-sections.ts";
import { codes } from "../../src/verify/codes/codes.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
const files = listed.toString().trim().split("\n");
/** What was written by hand and may change: a migration that was applied never does. */
const texts = files
  .filter((file) => /\.(ts|tsx|md|ya?ml|json|py|cjs|css)$/.test(file) && existsSync(join(ROOT, file)))
  .filter((file) => !/^(generated|contracts)\/|package-lock|references\.test/.test(file))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") }));
const sections = contractSections();

const found = (pattern: RegExp, within = texts) =>
  within.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map(([words, part]) => ({ file, words, part })),
  );

describe("references", () => {
  it("name no document that is not here", () => {
    expect(found(/\b(?:CONTRACT|DECISIONS|DESIGN|CONVERGENCE|ENGINE|STYLE)\.md\b/g)).toEqual([]);
    expect(found(/\b(?:CONTRACT|DESIGN|CONVERGENCE) (?:section )?\d/g)).toEqual([]);
  });

  it("to a section of the contract name one that there is", () => {
    expect([...sections.keys()]).toEqual(
      expect.arrayContaining(["1", "2.2", "2.8", "4.1", "4.2", "4.3", "6", "9"]),
    );
    const all = found(/\bcontract,? (?:section )?(\d(?:\.\d)?)\b(?!\.\d|\d)/gi);
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter(({ part = "" }) => !sections.has(part) && !isPoint(part))).toEqual([]);
    const named = Object.values(codes).map(({ section }) => section);
    expect(named.filter((section) => !sections.has(section))).toEqual([]);
  });

  it("in a text lead to a file, and to a heading of it", () => {
    const written = texts.filter(({ file }) => file.endsWith(".md"));
    const links = found(/\]\((?!https?:|mailto:)([^)\s]+)\)/g, written);
    expect(links.length).toBeGreaterThan(100);
    const broken = links.filter(({ file, part = "" }) => !leadsSomewhere(file, part));
    expect(broken.map(({ file, part }) => `${file}: ${part}`)).toEqual([]);
  });
});

describe("the guides for contributors", () => {
  it("name only files and folders that are there", () => {
    const guides = texts.filter(({ file }) => /guides\/(contributing|architecture)\.md$/.test(file));
    const paths = found(/`((?:spec|generated|contracts|src|scripts|test)\/[^`\s]*|README\.md)`/g, guides);
    expect(paths.length).toBeGreaterThan(40);
    expect(paths.filter(({ part = "" }) => !existsSync(join(ROOT, part)))).toEqual([]);
  });
});

describe("the decisions", () => {
  it("each name the test files that show them", () => {
    const decisions = readFileSync(join(ROOT, "spec/decisions.md"), "utf8");
    const rows = decisions.split("\n").filter((line) => /^\| (?!open point|point|---)/.test(line));
    expect(rows.length).toBeGreaterThan(40);
    // A cell too many hides the tests: a page shows as many columns as the heading has.
    const cells = (row: string) => row.match(/(?<!\\)\|/g)?.length;
    const tables = decisions
      .split("\n\n")
      .map((part) => part.split("\n").filter((line) => line.startsWith("|")));
    for (const [heading = "", ...below] of tables)
      expect(below.filter((row) => cells(row) !== cells(heading))).toEqual([]);
    expect(rows.filter((row) => !/\]\(\.\.\/test\/\S+\.test\.ts\)/.test(row))).toEqual([]);
  });
});

/** `5.2`: the second point of section 5, which is a list. */
function isPoint(part: string): boolean {
  const [section = "", point = ""] = part.split(".");
  const contract = readFileSync(join(ROOT, "spec/contract.md"), "utf8");
  const [, text = ""] =
    new RegExp(`^## ${section}\\. (.*?)(?=^## |$(?![\\s\\S]))`, "ms").exec(contract) ?? [];
  return new RegExp(`^${point}\\. `, "m").test(text);
}

function leadsSomewhere(from: string, href: string): boolean {
  const [path = "", fragment] = href.split("#");
  const file = path === "" ? join(ROOT, from) : join(ROOT, dirname(from), decodeURI(path));
  if (!existsSync(file)) return false;
  if (fragment === undefined || !file.endsWith(".md")) return true;
  const text = readFileSync(file, "utf8");
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
  return (
    headings.includes(fragment) || text.includes(`<a id="${fragment}">`) || text.includes(`\`${fragment}\``)
  );
}
