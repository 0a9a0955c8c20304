import type { Reporter, RunEvent, Summary, Verification } from "../events.ts";
import type { Finding } from "../finding.ts";
import type { Group } from "../options.ts";
import type { Verdict } from "../verdict.ts";
import {
  callOf,
  counted,
  coverageTable,
  formLabels,
  type NotChecked,
  notChecked,
  notesOf,
  rowsOf,
  type Section,
  sectionsOf,
} from "./report-content.ts";
import { createTerminal, type Terminal, together } from "./terminal.ts";

function writeForms({ forms }: Verification, terminal: Terminal): void {
  const words = formLabels(forms).map(([name, value]) => together(`${name}: ${value}`));
  terminal.heading("Dialect");
  terminal.paragraph(words.length === 0 ? "not detected" : words.join("; "), 2);
}

function writeCoverage({ coverage }: Verification, terminal: Terminal): void {
  const { statuses, rows } = coverageTable(coverage);
  const callWidth = Math.max(...rows.map(({ call }) => call.length));
  const widths = statuses.map((status, column) =>
    Math.max(status.length, ...rows.map(({ counts }) => String(counts[column]).length)),
  );
  const row = (name: string, cells: readonly string[]) =>
    `${name.padEnd(callWidth + 2)} ${cells.map((cell, column) => ` ${cell.padStart(widths[column] ?? 0)}`).join("")}`;
  terminal.heading(row("Responses by status", statuses));
  for (const { call, counts } of rows) {
    const cells = counts.map((count) => (count === 0 ? "·" : String(count)));
    terminal.write(row(`  ${call}`, cells));
  }
}

function writeSummary(verification: Verification, terminal: Terminal): void {
  const { summary, requests, duration, seed, readOnly } = verification;
  const more = [counted(requests, "request"), `${(duration / 1000).toFixed(1)} s`, `seed ${seed}`];
  terminal.write("");
  for (const note of notesOf(verification)) terminal.paragraph(note, 0);
  terminal.write(summaryLine(summary, more, terminal, readOnly ? " (read-only)" : ""));
}

const COLOURS = { conforms: "green", incomplete: "yellow", fails: "red" } as const;

/** Returns the verdict and its counts: `fails: 1 error, 0 warnings, 2 skipped, 30 checks`. */
function summaryLine(
  { verdict, errors, warnings, skipped, checks }: Summary,
  more: readonly string[],
  { paint }: Terminal,
  mode = "",
): string {
  const counts = [counted(errors, "error"), counted(warnings, "warning"), `${skipped} skipped`];
  const parts = [...counts, counted(checks, "check"), ...more];
  return `${paint(["bold", COLOURS[verdict]], verdict + mode)}: ${parts.join(", ")}`;
}

const TITLES = { error: "Errors", warning: "Warnings" } as const;
const MARKS = { error: "✗", warning: "!" } as const;
const SEVERITY_COLOURS = { error: "red", warning: "yellow" } as const;

type Severity = keyof typeof TITLES;

/** Writes every finding in full, errors first, and then the skipped checks. */
function writeFindings(findings: readonly Finding[], terminal: Terminal): void {
  for (const severity of ["error", "warning"] as const) {
    const sections = sectionsOf(findings, severity);
    if (sections.length > 0) terminal.heading(TITLES[severity]);
    for (const section of sections) writeSection(section, severity, terminal);
  }
  writeSkipped(findings, terminal);
}

function writeSection({ place, call, findings }: Section, severity: Severity, terminal: Terminal): void {
  const isWhole = call === "";
  const name = terminal.paint(
    ["bold", SEVERITY_COLOURS[severity]],
    isWhole ? "The provider as a whole" : call,
  );
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
    terminal.marked(terminal.paint(SEVERITY_COLOURS[severity], MARKS[severity]), finding.title, "bold");
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

/** Writes one line for each group, with the number of checks and findings. */
export interface Progress {
  begin(group: Group): void;
  checked(): void;
  found(severity: Finding["severity"]): void;
  skipGroup(group: Group): void;
  end(): void;
}

type Line = Pick<Summary, "checks" | "errors" | "warnings"> & { group: Group };

/** Moves up one line and clears it. */
const AGAIN = "\u001b[1A\u001b[2K";
const NAME_WIDTH = 16;

/** @param isInteractive writes the line of a group at its start, and again after each check */
function createProgress(terminal: Terminal, isInteractive: boolean): Progress {
  let line: Line | undefined;
  const rewrite = () => {
    if (line && isInteractive) terminal.write(AGAIN + textOf(line, terminal, false));
  };
  const end = () => {
    if (line) terminal.write((isInteractive ? AGAIN : "") + textOf(line, terminal, true));
    line = undefined;
  };
  return {
    begin: (group) => {
      end();
      line = { group, checks: 0, errors: 0, warnings: 0 };
      if (isInteractive) terminal.write(textOf(line, terminal, false));
    },
    checked: () => {
      if (line) line.checks += 1;
      rewrite();
    },
    found: (severity) => {
      if (line && severity === "error") line.errors += 1;
      if (line && severity === "warning") line.warnings += 1;
      rewrite();
    },
    skipGroup: (group) => {
      end();
      terminal.write(terminal.paint("dim", `  - ${group.padEnd(NAME_WIDTH)}skipped`));
    },
    end,
  };
}

function textOf(line: Line, terminal: Terminal, isOver: boolean): string {
  const { group, checks, errors, warnings } = line;
  const worst = [
    ...(errors > 0 ? [terminal.paint("red", counted(errors, "error"))] : []),
    ...(warnings > 0 ? [terminal.paint("yellow", counted(warnings, "warning"))] : []),
  ];
  const made = checks === 0 && isOver ? "nothing to check" : counted(checks, "check").padEnd(13);
  return `  ${markOf(line, terminal, isOver)} ${group.padEnd(NAME_WIDTH)}${made}${worst.join(", ")}`.trimEnd();
}

function markOf({ checks, errors, warnings }: Line, { paint }: Terminal, isOver: boolean): string {
  if (errors > 0) return paint("red", "✗");
  if (warnings > 0) return paint("yellow", "!");
  if (!isOver) return paint("cyan", "·");
  return checks === 0 ? paint("dim", "-") : paint("green", "✓");
}

export interface TerminalOptions {
  /** Columns; 100 by default. */
  width?: number;
  /** Allows colours and cursor movements; false by default. */
  isInteractive?: boolean;
}

const WIDTH = 100;

/**
 * Writes a report for people: the planned changes, the progress, and the findings, errors first.
 * Nothing is written before the provider is reached, so that an impossible run prints only its reason. An interactive terminal shows
 * everything immediately.
 */
export function terminalReport(write: (line: string) => void, options: TerminalOptions = {}): Reporter {
  const { width = WIDTH, isInteractive = false } = options;
  const held: string[] = [];
  let isHeld = !isInteractive;
  const terminal = createTerminal((line) => (isHeld ? held.push(line) : write(line)), width, isInteractive);
  const progress = createProgress(terminal, isInteractive);
  return (event) => {
    if (event.type === "end" || (event.type === "group" && event.group !== "reachability")) {
      isHeld = false;
      for (const line of held.splice(0)) write(line);
    }
    take(event, terminal, progress);
  };
}

function take(event: RunEvent, terminal: Terminal, progress: Progress): void {
  switch (event.type) {
    case "plan":
      writePlan(event, terminal);
      break;
    case "group":
      progress.begin(event.group);
      break;
    case "check":
      progress.checked();
      break;
    case "passed":
      break;
    case "restore":
      progress.end();
      break;
    case "finding":
      if (event.finding.code === "skipped_by_choice") progress.skipGroup(event.group);
      else progress.found(event.finding.severity);
      break;
    case "end":
      progress.end();
      writeFindings(event.verification.findings, terminal);
      writeForms(event.verification, terminal);
      writeCoverage(event.verification, terminal);
      writeSummary(event.verification, terminal);
      break;
    default:
      event satisfies never;
  }
}

function writePlan({ baseUrl, providerId, changes }: RunEvent & { type: "plan" }, terminal: Terminal): void {
  terminal.write(`${terminal.paint("bold", `Verifying ${baseUrl}`)}, organisation ${providerId}`);
  const calls = changes.map((each) => together(callOf(each))).join(", ");
  if (calls === "") terminal.paragraph("Only GET is called: nothing is changed.", 2);
  else {
    terminal.paragraph(`These calls change data: ${calls}.`, 2);
    terminal.paragraph(
      "Shifts and assignments are restored afterwards; created test candidates stay unless --states-url removes them, and the cancellable shift that you name is cancelled. Use --read-only to skip these calls.",
      2,
    );
  }
  terminal.write("");
}

export function writeVerdict(
  { findings, summary }: Verdict,
  write: (line: string) => void,
  { width = WIDTH, isInteractive = false }: TerminalOptions = {},
): void {
  const terminal = createTerminal(write, width, isInteractive);
  writeFindings(findings, terminal);
  if (findings.length > 0) terminal.write("");
  terminal.write(summaryLine(summary, [], terminal));
}
