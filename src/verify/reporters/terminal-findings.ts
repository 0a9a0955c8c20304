import type { Finding } from "../finding.ts";
import { type NotChecked, notChecked, rowsOf, type Section, sectionsOf } from "./report-content.ts";
import type { Terminal } from "./terminal.ts";

const TITLES = { error: "Errors", warning: "Warnings" } as const;
const MARKS = { error: "✗", warning: "!" } as const;
const COLOURS = { error: "red", warning: "yellow" } as const;

type Severity = keyof typeof TITLES;

/** Writes every finding in full, errors first, and then the skipped checks. */
export function writeFindings(findings: readonly Finding[], terminal: Terminal): void {
  for (const severity of ["error", "warning"] as const) {
    const sections = sectionsOf(findings, severity);
    if (sections.length > 0) terminal.heading(TITLES[severity]);
    for (const section of sections) writeSection(section, severity, terminal);
  }
  writeSkipped(findings, terminal);
}

function writeSection({ place, call, findings }: Section, severity: Severity, terminal: Terminal): void {
  const isWhole = call === "";
  const name = terminal.paint(["bold", COLOURS[severity]], isWhole ? "The provider as a whole" : call);
  terminal.write("");
  terminal.write(isWhole ? name : `${name}  ${terminal.paint("dim", place)}`);
  for (const [index, finding] of findings.entries()) {
    writeFinding(finding, findings[index - 1], severity, terminal);
  }
}

/** Writes one finding. @param previous rows shared with a finding of the same code are omitted */
function writeFinding(
  finding: Finding,
  previous: Finding | undefined,
  severity: Severity,
  terminal: Terminal,
): void {
  const isSameCode = previous?.code === finding.code;
  const shown = new Map(isSameCode ? rowsOf(previous) : []);
  const isRepeated = (label: string, text: string) =>
    (label === "contract" || label === "fix") && shown.get(label) === text;
  terminal.write("");
  if (!isSameCode) {
    terminal.marked(terminal.paint(COLOURS[severity], MARKS[severity]), finding.title, "bold");
  }
  for (const [label, text] of rowsOf(finding)) {
    if (!isRepeated(label, text)) terminal.labelled(label, text);
  }
  // Not wrapped, for copying.
  if (finding.reproduce !== "") terminal.write(`    ${terminal.paint("cyan", finding.reproduce)}`);
}

/** Writes skipped checks by reason: one missing fixture often prevents many checks. */
function writeSkipped(findings: readonly Finding[], terminal: Terminal): void {
  const reasons = notChecked(findings);
  if (reasons.length > 0) terminal.heading("Not checked");
  for (const { reason, checks } of reasons) {
    terminal.write("");
    terminal.marked("-", reason, "reset");
    terminal.paragraph(checks.map(nameOf).join("; "), 4, "dim");
  }
}

const nameOf = ({ title, places }: NotChecked["checks"][number]) =>
  places.length === 0 ? title : `${title} (${places.join(", ")})`;
