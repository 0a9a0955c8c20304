import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { visible } from "../contract/visible-text.ts";
import { type Paint, painter } from "../verify/reporters/terminal.ts";
import { type CiJob, ciJob, preparationFlag } from "./ci-jobs.ts";
import { SOURCE_FORMS } from "./ci-source.ts";
import { reportUnusable } from "./command-failure.ts";
import { FORM_NAMES } from "./contracts-forms.ts";
import { type Answers, CI_SYSTEMS, isLocal, readAnswers } from "./init-answers.ts";
import { type NewFile, refuseExisting, writeFiles } from "./init-files.ts";
import { type Probed, probe } from "./init-probe.ts";
import { type Io, reportOutput } from "./io.ts";
import { shellWord } from "./shell-word.ts";
import { readFlags, UsageError } from "./usage.ts";

const FIXTURES = "fixtures.json";

const HELP = `shiftpact init: sets up the verification of a provider. Asks on a terminal for what the flags leave open.

  shiftpact init [BASE_URL] [OPTIONS]

  BASE_URL               where the API is, without /providers/{providerId}
  --provider-id UUID     the organisation
  --token-variable NAME  environment variable that holds PROVIDER_TOKEN, and the CI system's secret; PROVIDER_TOKEN
                         unless given. The token itself is written nowhere
  --shift-id ID          a shift in the future, which verify may read, change and assign to
  --create-shift URL|COMMAND
                         makes a shift for each run of verify, so that each can check the cancellation
  --states-url URL       prepares provider states for each run, where the provider serves them: no shift need be named
  --ci ${CI_SYSTEMS.join("|")}
                         the job that is written; unless given, gitlab where a .gitlab-ci.yml exists, and github elsewhere
  --source SOURCE        where the job gets shiftpact from, because its name is not registered with npm:
                         ${SOURCE_FORMS}.
                         The tarball is an https URL or a file of the project; npm pack --json prints its integrity
  --start COMMAND        starts the provider in the job, where it does not run already
  --dir DIR              where the files are written; here unless given
  --force                replaces files that exist

It reads from the provider, changes nothing there, and writes ${FIXTURES} and the CI job.
Exit code: 0 written, 2 could not run; then nothing is written.

Examples:
  shiftpact init
  PROVIDER_TOKEN=T shiftpact init https://provider.example/api --provider-id UUID --shift-id ID --ci gitlab \\
    --source git+https://git.example/shiftpact.git#COMMIT
  TEMPO_TOKEN=T shiftpact init http://127.0.0.1:8080 --provider-id UUID --token-variable TEMPO_TOKEN --ci github \\
    --source ./shiftpact-0.1.0.tgz#sha512-... --start "npm start"`;

/** @returns the exit code: 0 written, 2 could not run. */
export async function init(argv: string[], io: Io): Promise<number> {
  try {
    const { values: flags, positionals } = flagsOf(argv);
    if (flags.help) {
      io.stdout(HELP);
      return 0;
    }
    if (flags.dir === "") throw new UsageError("--dir must name a folder");
    const usualCi = existsSync(join(flags.dir, ".gitlab-ci.yml")) ? "gitlab" : "github";
    const answers = await readAnswers({ ...flags, positionals }, usualCi, io);
    const job = ciJob(answers);
    const files = filesOf(answers, job);
    if (!flags.force) {
      refuseExisting(
        flags.dir,
        files.map(({ path }) => path),
      );
    }
    const probed = await probe(answers, io);
    writeFiles(flags.dir, files);
    for (const line of report(answers, probed, { job, files, folder: flags.dir }, io))
      reportOutput(io).write(line);
    return 0;
  } catch (error) {
    return reportUnusable("init", error, io);
  }
}

function flagsOf(args: string[]) {
  return readFlags({
    args,
    allowPositionals: true,
    options: {
      "provider-id": { type: "string" },
      "token-variable": { type: "string" },
      "shift-id": { type: "string" },
      "create-shift": { type: "string" },
      "states-url": { type: "string" },
      ci: { type: "string" },
      source: { type: "string" },
      start: { type: "string" },
      dir: { type: "string", default: "." },
      force: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
}

/** A cancelled shift would serve one run only, so the file names none. */
function filesOf({ shiftId }: Answers, job: CiJob | undefined): NewFile[] {
  const fixtures = { path: FIXTURES, text: `${JSON.stringify({ shiftId }, null, 2)}\n` };
  return job === undefined ? [fixtures] : [fixtures, job];
}

interface Written {
  job: CiJob | undefined;
  files: readonly NewFile[];
  folder: string;
}

function report(answers: Answers, { forms, errors }: Probed, written: Written, io: Io): string[] {
  const { job, files, folder } = written;
  const paint = painter(reportOutput(io).isInteractive);
  const width = Math.max(...FORM_NAMES.map((name) => name.length));
  const shown = FORM_NAMES.map(
    (name) => `  ${name.padEnd(width)}  ${forms[name] ?? paint("dim", "not known yet")}`,
  );
  return [
    paint("bold", `The forms of ${answers.baseUrl}:`),
    ...shown,
    ...remarks(answers, { forms, errors }).map(visible),
    "",
    paint("bold", "Written:"),
    ...files.map(({ path }) => visible(`  ${join(folder, path)}`)),
    "",
    ...(job === undefined ? [] : [...jobNotes(answers, job).map(visible), ""]),
    ...cancellationNotes(answers),
    paint("bold", "Next:"),
    nextCommand(answers, folder, paint),
  ];
}

function cancellationNotes({ createShift, statesUrl }: Answers): string[] {
  if (createShift !== undefined || statesUrl !== undefined) return [];
  return [
    "Cancellation is not checked yet, and --allow-incomplete keeps that from failing: verify cancels a shift permanently,",
    "so each run needs another one. Let --create-shift URL_OR_COMMAND create it, or give a list as cancellableShiftId in",
    `${FIXTURES}; then leave --allow-incomplete out.`,
    "",
  ];
}

function remarks({ shiftId, statesUrl }: Answers, { forms, errors }: Probed): string[] {
  return [
    ...(shiftId === undefined && statesUrl === undefined
      ? [`Without a shift most checks are skipped: add "shiftId" to ${FIXTURES}.`]
      : []),
    ...(shiftId !== undefined && forms.variant === undefined
      ? [`The shift ${shiftId} could not be read: run verify for the reason.`]
      : []),
    ...(errors > 0
      ? [`${errors} ${errors === 1 ? "error was" : "errors were"} seen: run verify for the fixes.`]
      : []),
    ...(FORM_NAMES.some((name) => forms[name] === undefined) ? ["verify detects the others."] : []),
  ];
}

function jobNotes({ baseUrl, start, shiftId }: Answers, { toDo, path }: CiJob): string[] {
  const future = shiftId === undefined ? "" : ` The shift of ${FIXTURES} must be in the future in every run.`;
  const always = [toDo, `Commit the files.${future}`];
  if (start !== undefined || !isLocal(baseUrl)) return always;
  return [
    ...always,
    `Add a step to ${path} that starts the provider at ${baseUrl}: --start COMMAND writes one.`,
  ];
}

/** How the reader runs this command again: from the checkout, or as it is installed; never by fetching its name. */
function shiftpactCommand(): string {
  if (!import.meta.url.endsWith(".ts")) return "npx --no-install shiftpact";
  const checkout = fileURLToPath(new URL("../..", import.meta.url));
  const isOutside = relative(checkout, process.cwd()).startsWith("..");
  return `npm ${isOutside ? `--prefix ${shellWord(checkout)} ` : ""}run -s shiftpact --`;
}

/** One line that can be pasted into a shell. */
function nextCommand(answers: Answers, folder: string, paint: Paint): string {
  const { baseUrl, providerId, tokenVariable } = answers;
  const token = tokenVariable === "PROVIDER_TOKEN" ? "" : `PROVIDER_TOKEN="$${tokenVariable}" `;
  const fixtures = shellWord(join(folder, FIXTURES));
  const command = `${shiftpactCommand()} verify ${shellWord(baseUrl)} --provider-id ${providerId} --fixtures ${fixtures} ${preparationFlag(answers)} --report report`;
  return paint("cyan", token + command);
}
