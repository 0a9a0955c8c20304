import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FINDINGS_FILE, findingsText } from "../../scripts/write-findings.ts";
import { codes } from "../../src/verify/codes/codes.ts";

describe("spec/findings.md", () => {
  it("is up to date", () => {
    const isFresh = readFileSync(FINDINGS_FILE, "utf8") === findingsText();
    expect(isFresh, "spec/findings.md is out of date. Fix it with: npm run findings:write").toBe(true);
  });

  it("has a row for every code", () => {
    for (const code of Object.keys(codes)) expect(findingsText()).toContain(`\n| \`${code}\` | `);
  });

  it("escapes text that would break a row or become a tag", () => {
    const rows = findingsText()
      .split("\n")
      .filter((line) => line.startsWith("| `"));
    for (const row of rows) {
      expect(row.match(/(?<!\\)\|/g), row).toHaveLength(5);
      expect(row.replaceAll(/`[^`]*`/g, ""), row).not.toContain("<");
    }
  });
});
