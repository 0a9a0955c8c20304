import { readFileSync } from "node:fs";
import { CouldNotRun } from "../verify/connection-errors.ts";
import type { KnownForms, ProviderForms } from "../verify/index.ts";
import { contractsFor, type ProviderContract, stubFor, writeContracts } from "./contracts-files.ts";
import {
  DETECT_FLAGS,
  detectForms,
  FORM_FLAGS,
  FORM_NAMES,
  FORMS,
  flagText,
  formsList,
  formsOfFlags,
  missingForms,
  wholeForms,
} from "./contracts-forms.ts";
import type { Io } from "./io.ts";
import { reportUnusable } from "./run-command.ts";
import { readFlags, UsageError } from "./usage.ts";

const HELP = `shiftpact contracts: writes the Pact files that fit a provider's forms, for a Pact verifier in any language.

  shiftpact contracts FORMS --out DIR
  shiftpact contracts --detect BASE_URL --provider-id UUID [OPTIONS] --out DIR

The forms:
${formsList().join("\n")}

  --out DIR          writes the calls and the events, a file each; replaces only files that it wrote itself
  --stub             writes one file instead, for pact-stub-server: a provider that serves every call
  --filter           prints the forms as a regular expression for pact-verifier --filter-description; writes nothing
  --list             prints the forms, and nothing else
  --verified FILE    reads what pact-verifier --json wrote, and fails when no interaction was verified: a filter that matches
                     nothing is no success
  --detect BASE_URL  finds the forms out at a running provider; a form that is given as a flag stays as given.
                     Accepts the flags of shiftpact verify, and PROVIDER_TOKEN from the environment

Exit code: 0 written, 1 nothing was verified, 2 could not run.

Examples:
  shiftpact contracts --routing path --variant b --not-found empty --unassign put --ack full --out pacts
  shiftpact contracts --detect http://127.0.0.1:4010 --provider-id UUID --shift-id ID --out pacts`;

type Flags = ReturnType<typeof flagsOf>;

/** @returns the exit code: 0 written, 1 nothing was verified, 2 could not run. */
export async function contracts(argv: string[], io: Io): Promise<number> {
  try {
    const flags = flagsOf(argv);
    if (flags.help || flags.list) {
      for (const line of flags.help ? [HELP] : formsList()) io.stdout(line);
      return 0;
    }
    if (flags.verified !== undefined) return sayVerified(flags.verified, io);
    if (flags.filter === (flags.out !== undefined)) {
      throw new UsageError("give --out DIR or --filter (see --help)");
    }
    if (flags.out === "") throw new UsageError("--out must name a folder");
    const known = await knownForms(flags, io);
    const forms = wholeForms(known);
    if (flags.out === undefined) io.stdout(filterOf(forms));
    else
      await write(
        flags.out,
        flags.stub ? [await stubFor(forms)] : await contractsFor(forms),
        { forms, known },
        io,
      );
    return 0;
  } catch (error) {
    return reportUnusable("contracts", error, io);
  }
}

function flagsOf(args: string[]) {
  return readFlags({
    args,
    options: {
      ...(FORM_FLAGS as Record<never, never>),
      ...DETECT_FLAGS,
      detect: { type: "string" },
      out: { type: "string" },
      filter: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      stub: { type: "boolean", default: false },
      verified: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  }).values;
}

/** @throws UsageError or CouldNotRun when a form without a usual value is unknown */
async function knownForms(flags: Flags, io: Io): Promise<KnownForms> {
  const { numbers, ...others } = flags;
  // With --detect, it is a form here or a file as in shiftpact verify.
  const isFile = flags.detect !== undefined && !FORMS.numbers.values.some((each) => each === numbers);
  const given = formsOfFlags(isFile ? others : flags);
  if (flags.detect !== undefined) {
    const detected = await detectForms(flags.detect, isFile ? flags : others, given.routing, io);
    const known = { ...detected, ...given };
    const missing = missingForms(known);
    if (missing.length === 0) return known;
    throw new CouldNotRun(
      `not detected: ${missing.join(", ")}; give a shift in the future with --shift-id ID, or ${missing.map(flagText).join(" ")}`,
    );
  }
  const unused = (Object.keys(DETECT_FLAGS) as (keyof typeof DETECT_FLAGS)[]).find(
    (flag) => !(flag in FORM_FLAGS) && flags[flag] !== undefined,
  );
  if (unused !== undefined) throw new UsageError(`--${unused} needs --detect BASE_URL`);
  const missing = missingForms(given);
  if (missing.length === 0) return given;
  throw new UsageError(`give also ${missing.map(flagText).join(" ")}, or --detect BASE_URL`);
}

/** Returns a filter that matches the descriptions of the fitting interactions. */
function filterOf(forms: ProviderForms): string {
  const pairs = FORM_NAMES.map((name) => `${name}=${forms[name]}`);
  return `\\[((${pairs.join("|")}) ?)+\\]$`;
}

/** Pact's verifier exits with 0 when its filter leaves no interaction. */
function sayVerified(file: string, io: Io): number {
  const count = verifiedIn(file);
  if (count > 0) {
    io.stdout(`${count} ${count === 1 ? "interaction was" : "interactions were"} verified`);
    return 0;
  }
  io.stderr(
    `shiftpact contracts: no interaction was verified: the filter matches no interaction of the contract in ${file}`,
  );
  return 1;
}

/** @throws UsageError when it is not a report of pact-verifier */
function verifiedIn(file: string): number {
  try {
    const { interactionResults } = JSON.parse(readFileSync(file, "utf8")) as {
      interactionResults: unknown[];
    };
    if (Array.isArray(interactionResults)) return interactionResults.length;
    throw new TypeError("no results");
  } catch {
    throw new UsageError(
      `--verified ${file}: the file does not exist, or is not a report of pact-verifier --json`,
    );
  }
}

interface Chosen {
  forms: ProviderForms;
  known: KnownForms;
}

async function write(
  folder: string,
  written: readonly ProviderContract[],
  { forms, known }: Chosen,
  io: Io,
): Promise<void> {
  writeContracts(folder, written);
  for (const line of summaryOf(folder, written)) io.stdout(line);
  io.stdout("For a provider of these forms:");
  const width = Math.max(...FORM_NAMES.map((name) => name.length));
  for (const name of FORM_NAMES) {
    const { flag, values } = FORMS[name];
    const others = values.filter((value) => value !== forms[name]).join("|");
    const note = known[name] === undefined ? `   assumed; otherwise give --${flag} ${others}` : "";
    io.stdout(`  ${name.padEnd(width)}  ${forms[name]}${note}`);
  }
}

function summaryOf(folder: string, written: readonly ProviderContract[]): string[] {
  const width = Math.max(...written.map(({ name }) => name.length));
  return [
    `Wrote ${written.length} Pact ${written.length === 1 ? "file" : "files"} to ${folder}:`,
    ...written.map(
      ({ name, selected, total }) => `  ${name.padEnd(width)}  ${selected} of ${total} interactions`,
    ),
  ];
}
