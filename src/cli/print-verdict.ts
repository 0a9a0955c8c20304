import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CouldNotRun } from "../verify/could-not-run.ts";
import { writeVerdict } from "../verify/reporters/terminal-report.ts";
import { verdictFiles } from "../verify/reporters/verdict-files.ts";
import type { Verdict } from "../verify/verdict.ts";
import { codeOf, type Io, reportOutput } from "./io.ts";
import { UsageError } from "./usage.ts";

/** Where the reports of one run are written. */
export type ReportFolder = (name: string) => (text: string) => void;

/**
 * Creates the folder when missing. Reports of an earlier run are removed, so all files belong to this run.
 * @throws CouldNotRun when the folder is not writable
 */
export function openReportFolder(folder: string, names: readonly string[]): ReportFolder {
  inFolder(folder, () => {
    mkdirSync(folder, { recursive: true });
    rmdirSync(mkdtempSync(join(folder, ".shiftpact-")));
    for (const name of names) rmSync(join(folder, name), { force: true });
  });
  return (name) => (text) => inFolder(folder, () => writeFileSync(join(folder, name), text));
}

function inFolder(folder: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new CouldNotRun(`--report ${folder}: not writable (${codeOf(error)}); give a writable folder`);
  }
}

/** Prints one finding per line, and the summary last. */
export function printJson({ findings, summary }: Verdict, io: Io): void {
  for (const finding of findings) io.stdout(JSON.stringify(finding));
  io.stdout(JSON.stringify({ summary }));
}

/**
 * Returns a function that writes report.html, junit.xml and report.json, or nothing without a folder. Call it before the run, which may
 * take long.
 * @throws CouldNotRun when the folder is not writable
 */
export function openReports(folder: string | undefined): (verdict: Verdict, subject: string) => void {
  if (folder === undefined) return () => undefined;
  if (folder === "") throw new UsageError("--report must name a folder");
  const to = openReportFolder(folder, Object.keys(verdictFiles));
  return (verdict, subject) => {
    for (const [name, write] of Object.entries(verdictFiles)) to(name)(write(verdict, subject));
  };
}

/** Prints the findings, errors first, each with its fix. */
export function printVerdict(verdict: Verdict, io: Io): void {
  const { write, isInteractive } = reportOutput(io);
  writeVerdict(verdict, write, { isInteractive });
}
