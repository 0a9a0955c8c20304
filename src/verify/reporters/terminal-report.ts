import type { Reporter, RunEvent, Verification } from "../events.ts";
import { callOf } from "./report-content.ts";
import { createPage, type Page, together, visible } from "./terminal.ts";
import { writeCoverage, writeForms, writeSummary } from "./terminal-end.ts";
import { writeErrors, writeSkipped, writeWarnings } from "./terminal-findings.ts";
import { createProgress, type Progress } from "./terminal-progress.ts";

export interface TerminalOptions {
  /** Columns; 100 unless given. */
  width?: number;
  /** It takes colours and moves of the cursor: lines are plain and written once unless given. */
  isInteractive?: boolean;
}

const WIDTH = 100;

/**
 * For people: what is going to be changed, progress, and what was found, the worst first.
 * Nothing is written before the provider is known to be one, so that a run that cannot be made leaves nothing but its reason; on an interactive
 * terminal, where somebody waits, everything is written at once.
 */
export function terminalReport(write: (line: string) => void, options: TerminalOptions = {}): Reporter {
  const { width = WIDTH, isInteractive = false } = options;
  const held: string[] = [];
  let isHeld = !isInteractive;
  const page = createPage((line) => (isHeld ? held.push(line) : write(line)), width, isInteractive);
  const progress = createProgress(page, isInteractive);
  return (event) => {
    if (isHeld && isPastReachability(event)) {
      isHeld = false;
      for (const line of held.splice(0)) write(line);
    }
    take(event, page, progress);
  };
}

function isPastReachability(event: RunEvent): boolean {
  return event.type === "end" || (event.type === "group" && event.group !== "reachability");
}

function take(event: RunEvent, page: Page, progress: Progress): void {
  switch (event.type) {
    case "plan":
      writePlan(event, page);
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
      if (event.finding.code === "skipped_by_choice") progress.leftOut(event.group);
      else progress.found(event.finding.severity);
      break;
    case "end":
      progress.end();
      writeEnd(event.verification, page);
      break;
    default:
      event satisfies never;
  }
}

function writePlan({ baseUrl, providerId, changes }: RunEvent & { type: "plan" }, page: Page): void {
  page.write(`${page.paint("bold", `Verifying ${visible(baseUrl)}`)}, organisation ${providerId}`);
  if (changes.length === 0) page.paragraph("Only GET is called: nothing is changed.", 2);
  else {
    page.paragraph(
      `These calls change data: ${changes.map((each) => together(callOf(each))).join(", ")}.`,
      2,
    );
    page.paragraph(
      "Shifts and assignments are put back as they were; test people that are created stay, and a cancellable shift that you name is cancelled. --read-only leaves these calls out.",
      2,
    );
  }
  page.write("");
}

function writeEnd(verification: Verification, page: Page): void {
  const { findings } = verification;
  writeErrors(findings, page);
  writeWarnings(findings, page);
  writeSkipped(findings, page);
  writeForms(verification, page);
  writeCoverage(verification, page);
  writeSummary(verification, page);
}
