import type { Reporter, RunEvent } from "../events.ts";
import type { Verdict } from "../verdict.ts";
import { callOf } from "./report-content.ts";
import { createTerminal, type Terminal, together } from "./terminal.ts";
import { summaryLine, writeCoverage, writeForms, writeSummary } from "./terminal-end.ts";
import { writeFindings } from "./terminal-findings.ts";
import { createProgress, type Progress } from "./terminal-progress.ts";

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
