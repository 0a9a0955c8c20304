import type { Finding } from "../finding.ts";
import { type Section, sectionsOf, skippedByReason } from "./outline.ts";
import { type Format, type Page, visible } from "./page.ts";

/** In full, with the line that shows each again. */
export function writeErrors(findings: readonly Finding[], page: Page): void {
  for (const section of sectionsOf(findings, "error")) {
    writePlace(section, "red", page);
    for (const finding of section.findings) writeError(finding, page);
  }
}

function writeError(finding: Finding, page: Page): void {
  const { code, title, expected, actual, section, mend, reproduce } = finding;
  page.write("");
  page.write(`  ${page.paint("red", "✗")} ${page.paint("bold", title)}`);
  page.labelled("expected", expected);
  page.labelled("actual", actual);
  page.labelled("contract", `section ${section}, ${code}${seen(finding)}`);
  page.labelled("mend", mend);
  // Not wrapped: it is there to be copied.
  if (reproduce !== "") page.write(`    ${page.paint("cyan", visible(reproduce))}`);
}

/** Without the curl line, which the other reports have. */
export function writeWarnings(findings: readonly Finding[], page: Page): void {
  for (const section of sectionsOf(findings, "warning")) {
    writePlace(section, "yellow", page);
    for (const finding of section.findings) {
      const { code, title, expected, actual, mend, section: chapter } = finding;
      page.write("");
      page.write(`  ${page.paint("yellow", "!")} ${title}`);
      page.paragraph(`Expected ${expected}; came ${actual}. ${mend}`, 4);
      page.paragraph(`section ${chapter}, ${code}${seen(finding)}`, 4, "dim");
    }
  }
}

function writePlace({ place, call }: Section, format: Format, page: Page): void {
  page.write("");
  const name = call === "" ? "The provider as a whole" : call;
  page.write(`${page.paint(["bold", ...[format].flat()], name)}  ${page.paint("dim", place)}`);
}

const seen = ({ count }: Finding) => (count > 1 ? `, seen ${count} times` : "");

/** What could not be checked, by the reason: one thing that is missing often stops many checks. */
export function writeSkipped(findings: readonly Finding[], page: Page): void {
  const reasons = skippedByReason(findings);
  if (reasons.size === 0) return;
  page.write("");
  page.write(page.paint("bold", "Not checked"));
  for (const [reason, skips] of reasons) {
    page.paragraph(`- ${reason}:`, 2, "dim");
    page.paragraph(skips.map(nameOf).join("; "), 4, "dim");
  }
}

const nameOf = ({ title, operation }: Finding) =>
  operation === "provider" ? title : `${title} (${operation})`;
