import { writeVerdict } from "../verify/reporters/terminal-report.ts";
import { verdictFiles } from "../verify/reporters/verdict-files.ts";
import type { Verdict } from "../verify/verdict.ts";
import { type Io, reportOutput } from "./io.ts";
import { openReportFolder } from "./report-folder.ts";
import { UsageError } from "./usage.ts";

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
