import { readFileSync } from "node:fs";
import { join } from "node:path";

const CONTRACT = join(import.meta.dirname, "..", "spec", "contract.md");

/** Returns GitHub's anchor of a heading; the pages of the documentation use the same ones. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
}

/** Returns the anchors of spec/contract.md by the number of the section: `4.2`. */
export function contractSections(): ReadonlyMap<string, string> {
  const headings = readFileSync(CONTRACT, "utf8").matchAll(/^#{2,3} ((\d+(?:\.\d+)?)\.? .+)$/gm);
  return new Map([...headings].map(([, heading = "", number = ""]) => [number, anchorOf(heading)]));
}
