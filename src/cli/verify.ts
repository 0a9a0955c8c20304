import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CouldNotRun } from "../verify/connection-errors.ts";
import {
  everyReporter,
  groups,
  htmlReport,
  jsonLines,
  jsonReport,
  junitReport,
  type Reporter,
  terminalReport,
  verify as verifyProvider,
} from "../verify/index.ts";
import { writeVerdict } from "../verify/reporters/terminal-report.ts";
import { verdictFiles } from "../verify/reporters/verdict-files.ts";
import type { Verdict } from "../verify/verdict.ts";
import { codeOf, type Io, reportOutput } from "./io.ts";
import { UsageError } from "./usage.ts";
import { FIXTURE_MEMBERS } from "./verify-fixtures.ts";
import { type CommandLine, readCommandLine } from "./verify-options.ts";

const HELP = `shiftpact verify: verifies a running provider, in any language, against the contract.

  shiftpact verify BASE_URL --provider-id UUID [OPTIONS]

  BASE_URL                     where the API is, without /providers/{providerId}
  --provider-id UUID           the organisation
  --token T                    PROVIDER_TOKEN; the environment's PROVIDER_TOKEN unless given
  --routing auto|path|header   how requests name the organisation; detected unless given
  --fixtures FILE              data of yours that may be used; JSON with any of these members:
${Object.entries(FIXTURE_MEMBERS)
  .map(([name, meaning]) => `      ${name.padEnd(23)}${meaning}`)
  .join("\n")}
  --shift-id ID                instead of a file
  --cancellable-shift-id ID    instead of a file; may be given several times
  --create-shift URL|COMMAND   makes a shift in the future, so that every run can check the cancellation:
                               POST to the URL, or a command; the answer is its id, or {"shiftId": "..."}
  --states-url URL             sets provider states up instead: Pact's callback
  --numbers FILE               personal numbers of people who do not exist, for test candidates: one a line, at least 40;
                               published test numbers unless given
  --only GROUP,..  --skip GROUP,..
                               what is checked; reachability and dialect always are. The groups:
      ${groups.slice(0, 6).join(", ")},
      ${groups.slice(6).join(", ")}
  --operation ID,..            reports and counts only what is about these operations, like getShift,updateShift;
                               also calls what they need
  --read-only                  calls only GET; the verdict "incomplete" is then no failure
  --allow-incomplete           "incomplete" is no failure: nothing is wrong, and a required operation was
                               never seen to succeed
  --concurrency N              requests at the same time; 8 unless given, up to 16 far away, fewer if slow or after a 429
  --rate N                     requests a second; unlimited unless given, and after a 429 what the provider served
  --other-provider-id UUID     another organisation at the same provider: isolation is checked with it
  --other-token T              its token; the environment's OTHER_PROVIDER_TOKEN unless given
  --report DIR                 writes report.html, junit.xml and report.json there
  --json                       one finding a line, the summary last
  --fail-on error|warning      what makes the verdict "fails"; error unless given
  --seed N|random              seed of made-up ids; 1 unless given, and shown in the report
  --timeout S                  for one answer, in seconds; 10 unless given

Exit code: 0 the provider conforms, 1 it does not or not every required operation was seen to succeed,
2 the verification could not run.
Ctrl-C restores changed data and ends with 2; a second one ends at once.

Examples:
  shiftpact verify http://127.0.0.1:4010 --provider-id UUID --token T --shift-id ID
  PROVIDER_TOKEN=T shiftpact verify https://provider.example/api --provider-id UUID --fixtures fixtures.json --report report
  shiftpact verify https://provider.example/api --provider-id UUID --read-only --json`;

/** @returns the exit code: 0 conforms, 1 does not, 2 could not run. */
export async function verify(argv: string[], io: Io): Promise<number> {
  try {
    const command = readCommandLine(argv, io.env);
    if (command) return await run(command, io);
    io.stdout(HELP);
    return 0;
  } catch (error) {
    io.stderr(`shiftpact verify: ${lineOf(error)}`);
    return 2;
  }
}

async function run(command: CommandLine, io: Io): Promise<number> {
  const { options, json, report, allowsIncomplete, notices } = command;
  for (const notice of notices) io.stderr(`shiftpact verify: ${notice}`);
  const files = report === undefined ? [] : fileReports(report, options.failOn ?? "error");
  const onEvent = everyReporter([json ? jsonLines(io.stdout) : forPeople(io), ...files]);
  const { signal, off } = stopOnSignal(io);
  try {
    const { summary } = await verifyProvider({ ...options, onEvent, signal });
    const isEnough = summary.verdict === "incomplete" && allowsIncomplete;
    return summary.verdict === "conforms" || isEnough ? 0 : 1;
  } finally {
    off();
  }
}

function forPeople(io: Io): Reporter {
  const { columns } = process.stdout;
  const { write, isInteractive } = reportOutput(io);
  return terminalReport(write, {
    isInteractive,
    // Zero where the count is unknown.
    ...(columns > 0 && { width: columns }),
  });
}

function fileReports(folder: string, failOn: "error" | "warning"): Reporter[] {
  const to = openReportFolder(folder, ["report.html", "junit.xml", "report.json"]);
  return [
    htmlReport(to("report.html")),
    junitReport(to("junit.xml"), { failOn }),
    jsonReport(to("report.json")),
  ];
}

/** An unexpected error exits with 2, because 1 would blame the provider. */
function lineOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof CouldNotRun) return error.message;
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `an error in shiftpact, please report it: ${stack.split("\n").slice(0, 2).join("").slice(0, 500)}`;
}

/**
 * SIGINT and SIGTERM abort the signal, and the run restores what it changed; a second one ends the process with 2 at once.
 * `off` removes the listeners.
 */
export function stopOnSignal({ stderr }: Pick<Io, "stderr">): { signal: AbortSignal; off: () => void } {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) {
      stderr("shiftpact verify: stopped immediately: changed data may remain at the provider");
      process.exit(2);
    }
    stderr("shiftpact verify: stopping and restoring changed data; press Ctrl-C again to stop immediately");
    controller.abort();
  };
  const names = ["SIGINT", "SIGTERM"] as const;
  for (const name of names) process.on(name, stop);
  const off = () => {
    for (const name of names) process.off(name, stop);
  };
  return { signal: controller.signal, off };
}

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
