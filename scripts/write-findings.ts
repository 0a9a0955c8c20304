import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMain } from "../src/cli/is-main.ts";
import { codes } from "../src/verify/codes/codes.ts";
import type { CodeEntry } from "../src/verify/codes/meaning.ts";
import { contractSections } from "./contract-sections.ts";

export const FINDINGS_FILE = join(fileURLToPath(new URL("..", import.meta.url)), "spec", "findings.md");

const INTRODUCTION = `# Findings

What \`shiftpact verify\`, \`listen\` and \`compare\` can find. Codes are never renamed. An error breaks the contract; a warning is unusual, or a form that
costs something; what is skipped was not checked, and is never counted as passed. The section is [the contract's](contract.md).

Written by \`npm run findings:write\` from src/verify/codes. Do not edit.
`;

const SECTIONS = contractSections();

const SEVERITIES = [
  ["error", "Errors"],
  ["warning", "Warnings"],
  ["skipped", "Not checked"],
] as const;

/** Returns the text of spec/findings.md. */
export function findingsText(): string {
  const entries: [string, CodeEntry][] = Object.entries(codes);
  const chapters = SEVERITIES.map(([severity, title]) => {
    const rows = entries.filter(([, entry]) => entry.severity === severity).map(rowOf);
    return `\n## ${title}\n\n| code | what | section | how to fix it |\n| --- | --- | --- | --- |\n${rows.join("")}`;
  });
  return INTRODUCTION + chapters.join("");
}

function rowOf([code, { title, section, fix }]: [string, CodeEntry]): string {
  return `| \`${code}\` | ${cell(title)} | [${section}](contract.md#${SECTIONS.get(section)}) | ${cell(fix)} |\n`;
}

/** Escapes tags, which outside of code would be HTML. */
function cell(text: string): string {
  const parts = text.replaceAll("|", "\\|").split("`");
  return parts.map((part, index) => (index % 2 === 0 ? part.replaceAll("<", "&lt;") : part)).join("`");
}

if (isMain(import.meta)) writeFileSync(FINDINGS_FILE, findingsText());
