import type { Finding } from "../finding.ts";
import { type NotChecked, notChecked, type Section, sectionsOf } from "./report-content.ts";
import { type Format, type Page, visible } from "./terminal.ts";

/** In full, with the line that shows each again. */
export function writeErrors(findings: readonly Finding[], page: Page): void {
  const sections = sectionsOf(findings, "error");
  writeTitle("Errors", sections, page);
  for (const section of sections) {
    writePlace(section, "red", page);
    for (const [index, finding] of section.findings.entries()) {
      writeError(finding, section.findings[index - 1], page);
    }
  }
}

/** @param before what it said of the code and how to fix it need not be said once more */
function writeError(finding: Finding, before: Finding | undefined, page: Page): void {
  const { code, title, expected, actual, section, fix, count } = finding;
  const isMore = before?.code === code;
  page.write("");
  if (!isMore) page.marked(page.paint("red", "✗"), title, "bold");
  page.labelled("expected", expected);
  page.labelled("actual", count > 1 ? `${actual} (${count} times)` : actual);
  if (!isMore) page.labelled("contract", `section ${section}, ${code}`);
  if (!isMore || before.fix !== fix) page.labelled("fix", fix);
  writeCurl(finding, page);
}

/** Not wrapped: it is there to be copied. */
function writeCurl({ reproduce }: Finding, page: Page): void {
  if (reproduce !== "") page.write(`    ${page.paint("cyan", visible(reproduce))}`);
}

/** Shorter than errors. */
export function writeWarnings(findings: readonly Finding[], page: Page): void {
  const sections = sectionsOf(findings, "warning");
  writeTitle("Warnings", sections, page);
  for (const section of sections) {
    writePlace(section, "yellow", page);
    for (const finding of section.findings) {
      const { code, title, expected, actual, fix, count, section: chapter } = finding;
      page.write("");
      page.marked(page.paint("yellow", "!"), title, "reset");
      page.paragraph(`Expected ${expected}; came ${actual}. ${fix}`, 4);
      page.paragraph(`section ${chapter}, ${code}${count > 1 ? `, ${count} times` : ""}`, 4, "dim");
      writeCurl(finding, page);
    }
  }
}

function writeTitle(title: string, { length }: readonly Section[], page: Page): void {
  if (length === 0) return;
  page.write("");
  page.write(page.paint("bold", title));
}

function writePlace({ place, call }: Section, format: Format, page: Page): void {
  page.write("");
  const isWhole = call === "";
  const name = page.paint(["bold", ...[format].flat()], isWhole ? "The provider as a whole" : call);
  page.write(isWhole ? name : `${name}  ${page.paint("dim", place)}`);
}

/** What could not be checked, by the reason: one thing that is missing often stops many checks. */
export function writeSkipped(findings: readonly Finding[], page: Page): void {
  const reasons = notChecked(findings);
  if (reasons.length === 0) return;
  page.write("");
  page.write(page.paint("bold", "Not checked"));
  for (const { reason, checks } of reasons) {
    page.write("");
    page.marked("-", reason, "reset");
    page.paragraph(checks.map(nameOf).join("; "), 4, "dim");
  }
}

const nameOf = ({ title, places }: NotChecked["checks"][number]) =>
  places.length === 0 ? title : `${title} (${places.join(", ")})`;
