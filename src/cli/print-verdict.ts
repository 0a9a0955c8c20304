import type { Finding } from "../verify/finding.ts";
import { verdictFiles } from "../verify/reporters/verdict-files.ts";
import type { Verdict } from "../verify/verdict.ts";
import { type Io, isColoured } from "./io.ts";
import { type Paint, painter } from "./paint.ts";
import { openReportFolder } from "./report-folder.ts";
import { UsageError } from "./usage.ts";

const WORST_FIRST = ["error", "warning", "skipped"] as const satisfies readonly Finding["severity"][];
const MARKS = { error: "✗", warning: "!", skipped: "-" } as const;
const COLOURS = { error: "red", warning: "yellow", skipped: "dim" } as const;

/** One finding a line, the summary last. */
export function printJson({ findings, summary }: Verdict, io: Io): void {
  for (const finding of findings) io.stdout(JSON.stringify(finding));
  io.stdout(JSON.stringify({ summary }));
}

/**
 * What writes report.html, junit.xml and report.json; nothing without a folder. Opened before the run, which may be long.
 * @throws CouldNotRun when nothing can be written there
 */
export function openReports(folder: string | undefined): (verdict: Verdict, subject: string) => void {
  if (folder === undefined) return () => undefined;
  if (folder === "") throw new UsageError("--report must name a folder");
  const to = openReportFolder(folder, Object.keys(verdictFiles));
  return (verdict, subject) => {
    for (const [name, write] of Object.entries(verdictFiles)) to(name)(write(verdict, subject));
  };
}

/** For people: the worst first, and how to fix it. */
export function printVerdict({ findings, summary }: Verdict, io: Io): void {
  const paint = painter(isColoured(io.env));
  for (const severity of WORST_FIRST) {
    for (const finding of findings.filter((each) => each.severity === severity)) {
      for (const line of linesOf(finding, paint)) io.stdout(line);
    }
  }
  const { verdict, errors, warnings, skipped, checks } = summary;
  const counts = `${errors} errors, ${warnings} warnings, ${skipped} skipped, ${checks} checks`;
  io.stdout(`${paint(verdict === "conforms" ? "green" : "red", verdict)}: ${counts}`);
}

function linesOf(finding: Finding, paint: Paint): string[] {
  const { code, severity, title, operation, expected, actual, section, fix, count } = finding;
  const head = `${MARKS[severity]} ${severity} ${code}: ${title}${count > 1 ? ` (${count} times)` : ""}`;
  const rows = [
    ["where", operation],
    ["expected", expected],
    [severity === "skipped" ? "reason" : "came", actual],
    ["contract", `section ${section}`],
    ["fix", fix],
  ] as const;
  const shown = rows.filter(([, text]) => text !== "");
  return [
    paint(COLOURS[severity], head),
    ...shown.map(([name, text]) => `    ${name.padEnd(9)} ${text}`),
    "",
  ];
}
