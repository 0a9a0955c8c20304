import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isMain } from "../src/cli/is-main.ts";
import { MIGRATIONS_TABLE, readMigrations } from "../src/platform/db/migrate.ts";
import { emit, type Output } from "./emit/emit.ts";
import { SpecFault } from "./emit/fault.ts";
import { formatted } from "./emit/format.ts";
import { type Drift, driftOf, follow, write } from "./emit/write.ts";
import { emitTables } from "./row-types.ts";
import { settingsGuide } from "./settings-guide.ts";
import { supportedGuide } from "./supported-guide.ts";
import type { Terminal } from "./terminal.ts";

const HELP = `Reads the documents in spec/ and writes types, clients, server stubs and validators to generated/, with the types of the rows of
the platform's tables, and the guides of the platform's settings and of what the documents may say to spec/guides/.

  npm run generate                     write what has changed
  npm run generate -- --check          write nothing; exit 1 and list the outdated files
  npm run generate -- --watch          write, then follow edits until interrupted

  --spec DIR   read the documents from DIR    (spec)
  --out DIR    write to DIR                   (generated)
  --help       show this

Exit code: 0 done, 1 a document is at fault or --check found a difference, 2 wrong arguments.
`;

const GUIDES = [
  ["settings.md", settingsGuide()],
  ["supported.md", supportedGuide()],
] as const;

const PROJECT = join(dirname(fileURLToPath(import.meta.url)), "..");
const OPTIONS = {
  check: { type: "boolean", default: false },
  watch: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
  spec: { type: "string", default: "spec" },
  out: { type: "string", default: "generated" },
} as const;

interface WatchingTerminal extends Terminal {
  /** Ends --watch when aborted. */
  readonly signal?: AbortSignal;
}

interface Folders {
  readonly spec: string;
  readonly out: string;
}

/** Runs the command. Resolves with the exit code. */
export async function main(argv: readonly string[], terminal: WatchingTerminal): Promise<number> {
  const options = readOptions(argv);
  if (typeof options === "string") {
    terminal.error(`${options}\n\n${HELP}`);
    return 2;
  }
  if (options.help) {
    terminal.out(HELP);
    return 0;
  }
  const folders = { spec: resolve(options.spec), out: resolve(options.out) };
  if (!existsSync(folders.spec)) {
    terminal.error(`There is no folder ${options.spec}.\n  -> run this in the project, or give --spec DIR\n`);
    return 2;
  }
  if (options.check) return reportingFaults(terminal, () => check(folders, terminal));
  const code = await reportingFaults(terminal, () => generate(folders, terminal));
  return options.watch ? watchFolder(folders, terminal) : code;
}

function readOptions(argv: readonly string[]) {
  try {
    const { values } = parseArgs({ args: [...argv], options: OPTIONS, strict: true });
    return values.check && values.watch ? "--check and --watch exclude each other." : values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Both subcommands end with 1 on a fault in a document; any other error is a bug and is shown with its stack. */
async function reportingFaults(terminal: Terminal, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    terminal.error(`${error instanceof SpecFault ? error.message : (error as Error).stack}\n`);
    return 1;
  }
}

/** A folder, and the texts of the generated files in it by their path. */
interface Target {
  readonly folder: string;
  readonly output: Output;
}

/** Returns what is generated: the code from the documents and, beside the project's own, the types of the platform's rows and the guide of the settings. */
async function targetsOf({ spec, out }: Folders, terminal: Terminal): Promise<Target[]> {
  const runtime = relative(join(out, "document"), join(PROJECT, "src", "runtime")).replaceAll("\\", "/");
  const rows = spec === join(PROJECT, "spec") ? await emitRows() : [];
  const onRenamed = (file: string, written: string, name: string) =>
    terminal.out(`named    ${file}: ${written} is ${name} in the code\n`);
  const code = { folder: out, output: new Map([...(await emit(spec, runtime, onRenamed)), ...rows]) };
  const guides = { folder: join(spec, "guides"), output: new Map(GUIDES) };
  const targets = existsSync(guides.folder) ? [code, guides] : [code];
  return Promise.all(
    targets.map(async ({ folder, output }) => ({ folder, output: await formatted(output, PROJECT) })),
  );
}

async function emitRows(): Promise<[name: string, text: string][]> {
  const sql = [MIGRATIONS_TABLE, ...(await readMigrations()).map((migration) => migration.sql)];
  return [["database/tables.ts", await emitTables(sql.join(";\n"))]];
}

async function generate(folders: Folders, terminal: Terminal): Promise<number> {
  const started = performance.now();
  const targets = await targetsOf(folders, terminal);
  for (const { folder, output } of targets) {
    const drift = write(output, folder);
    for (const name of [...drift.missing, ...drift.stale])
      terminal.out(`wrote    ${shown(folder)}/${name}\n`);
    for (const name of drift.superfluous) terminal.out(`removed  ${shown(folder)}/${name}\n`);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  terminal.out(`${countOf(targets)} files are up to date (${seconds} s)\n`);
  return 0;
}

async function check(folders: Folders, terminal: Terminal): Promise<number> {
  const targets = await targetsOf(folders, terminal);
  const lines = targets.flatMap(({ folder, output }) => driftLines(driftOf(output, folder), shown(folder)));
  if (lines.length === 0) {
    terminal.out(`${countOf(targets)} files are up to date\n`);
    return 0;
  }
  terminal.error(
    `${lines.join("\n")}\n\nThe generated files do not match their sources. Fix them with:\n  npm run generate\n`,
  );
  return 1;
}

const shown = (folder: string): string => relative(process.cwd(), folder) || ".";

const countOf = (targets: readonly Target[]): number =>
  targets.reduce((sum, { output }) => sum + output.size, 0);

function driftLines(drift: Drift, folder: string): string[] {
  return Object.entries(drift).flatMap(([kind, names]: [string, readonly string[]]) =>
    names.map((name) => `${kind.padEnd(11)}  ${folder}/${name}`),
  );
}

async function watchFolder(folders: Folders, terminal: WatchingTerminal): Promise<number> {
  const changed = async (): Promise<void> => {
    await reportingFaults(terminal, () => generate(folders, terminal));
  };
  const watching = follow(folders.spec, changed);
  terminal.signal?.addEventListener("abort", watching.stop, { once: true });
  terminal.out(`following ${relative(process.cwd(), folders.spec) || "."}; stop with Ctrl-C\n`);
  await watching.done;
  return 0;
}

if (isMain(import.meta)) {
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  process.once("SIGTERM", () => interrupted.abort());
  process.exitCode = await main(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
    signal: interrupted.signal,
  });
}
