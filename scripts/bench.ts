import { mkdir, readFile, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { placeOnDisk } from "../test/harness/process.ts";
import { acknowledgement } from "./bench/acknowledgement.ts";
import { citus } from "./bench/citus.ts";
import { benchmarksDocument, type Measured } from "./bench/document.ts";
import { fairness } from "./bench/fairness.ts";
import { belowFloor } from "./bench/floors.ts";
import { flow } from "./bench/flow.ts";
import { kit } from "./bench/kit.ts";
import { createResources, machineLine, type Resources, serverLine, versionsLine } from "./bench/machine.ts";
import { organisations } from "./bench/many-organisations.ts";
import { stub } from "./bench/stub.ts";
import { type Figures, type Section, textOf } from "./bench/table.ts";
import { year } from "./bench/year.ts";
import { formatted } from "./emit/format.ts";

const sections: readonly Section[] = [acknowledgement, flow, fairness, organisations, citus, stub, kit, year];
const names = sections.map(({ name }) => name);

const HELP = `npm run bench -- [--quick] [--only SECTION,..] [--write] [--json] [--data DIR]

Measures performance against targets on this machine, and writes BENCHMARKS.md. It takes about half an hour; keep
the machine otherwise idle. The PostgreSQL server is Debian's newest if one is installed, with its own defaults; POSTGRES=packaged takes
the one from npm, which has no JIT, and POSTGRES=DIR the one below that folder.

  --quick            measure every section briefly, in about a minute; writes nothing unless --write is given
  --only SECTION,..  measure only these sections: ${names.join(", ")}; writes nothing unless
                     --write is given. "year" and "citus" run only when they are named
                     (YEAR_RATE=10 sets the year's events a second; default 1; CITUS_URL names
                     a database with the extension citus and its workers, on this machine)
  --write            replace the measured sections in BENCHMARKS.md and keep the others
  --json             print every figure as one line of JSON, instead of tables
  --data DIR         folder for databases; default: the temporary folder, if it is on disk
  --help             show this help

Exit code: 0 done; 1 a ratio is below its floor (scripts/bench/floors.ts); 2 could not run.

Examples:
  npm run bench
  npm run bench -- --quick
  npm run bench -- --only year --write
  npm run bench -- --only acknowledgement,flow --data /srv/bench`;

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DOCUMENT_NAME = "BENCHMARKS.md";
const OPTIONS = {
  quick: { type: "boolean", default: false },
  only: { type: "string" },
  write: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  data: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

type Options = ReturnType<typeof parseOptions>;

const parseOptions = (args: string[]) => parseArgs({ args, options: OPTIONS }).values;

const print = (line: string) => process.stdout.write(`${line}\n`);
const log = (line: string) => process.stderr.write(`${line}\n`);

/** @throws TypeError that lists the sections, if one is unknown. */
function selected({ only }: Options): readonly Section[] {
  if (only === undefined) return sections.filter(({ isApart }) => !isApart);
  return only.split(",").map((name) => {
    const section = sections.find((each) => each.name === name.trim());
    if (!section)
      throw new TypeError(`--only: unknown section ${JSON.stringify(name)}; known: ${names.join(", ")}`);
    return section;
  });
}

async function measure(options: Options, resources: Resources): Promise<Measured[]> {
  const begun = performance.now();
  const [load = 0] = loadavg();
  const measured: Measured[] = [];
  for (const section of selected(options)) {
    const report = (line: string) => log(`${clock(begun)}  ${section.name}: ${line}`);
    const started = performance.now();
    const findings = await section.run({ resources, quick: options.quick, report });
    const minutes = (performance.now() - started) / 60_000;
    measured.push({
      section,
      conditions: await conditionsOf(section, { minutes, load }, options, resources),
      ...findings,
    });
    if (!options.json) for (const table of findings.tables) print(`\n${textOf(table)}`);
  }
  return measured;
}

async function conditionsOf(
  { packages, usesServer }: Section,
  { minutes, load }: { minutes: number; load: number },
  { quick, data }: Options,
  resources: Resources,
) {
  const date = new Date().toISOString().slice(0, 10);
  const duration = minutes < 1 ? "less than a minute" : `${Math.round(minutes)} min`;
  const machine = await machineLine(data ?? (await placeOnDisk()), load);
  const mode = quick ? " with `--quick`, too short to compare" : "";
  const server = usesServer ? [await serverLine(`${(await resources.postgres()).url}/postgres`)] : [];
  const versions = [...server, versionsLine(packages)].join("; ");
  return `Measured on ${date} in ${duration}${mode}: ${machine}; ${versions}.`;
}

function clock(begun: number): string {
  const seconds = Math.round((performance.now() - begun) / 1_000);
  return `${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, "0")}`;
}

async function report(measured: readonly Measured[], options: Options): Promise<number> {
  const figures: Figures = Object.assign({}, ...measured.map((each) => each.figures));
  if (options.json) print(JSON.stringify(figures));
  else for (const { section, conditions } of measured) print(`\n${section.name}: ${conditions}`);
  if (options.write || (!options.quick && options.only === undefined)) await writeDocument(measured);
  const faults = belowFloor(
    figures,
    measured.map(({ section }) => section.name),
  );
  for (const line of faults) log(`bench: ${line}`);
  return faults.length > 0 ? 1 : 0;
}

async function writeDocument(measured: readonly Measured[]): Promise<void> {
  const file = join(ROOT, DOCUMENT_NAME);
  const document = benchmarksDocument(await readFile(file, "utf8").catch(() => ""), measured, names);
  const texts = await formatted(new Map([[DOCUMENT_NAME, document]]), ROOT);
  await writeFile(file, texts.get(DOCUMENT_NAME) ?? "");
  log(`wrote ${measured.map(({ section }) => section.name).join(", ")} to ${DOCUMENT_NAME}`);
}

/** Ends every started process on the first signal. */
function clearOnSignal(resources: Resources): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      log("bench: stopped");
      void resources.clear().finally(() => process.exit(130));
    });
  }
}

async function main(argv: string[]): Promise<number> {
  const options = parseOptions(argv);
  if (options.help) {
    print(HELP);
    return 0;
  }
  selected(options);
  if (options.data !== undefined) await mkdir(options.data, { recursive: true });
  const resources = createResources(options.data);
  clearOnSignal(resources);
  try {
    return await report(await measure(options, resources), options);
  } finally {
    await resources.clear();
  }
}

// Some libraries keep connections open for seconds; exiting does not wait for them.
process.exit(
  await main(process.argv.slice(2)).catch((error: unknown) => {
    const isUsage = error instanceof TypeError && !("cause" in error);
    process.stderr.write(
      `bench: ${error instanceof Error ? (isUsage ? error.message : error.stack) : error}\n`,
    );
    return 2;
  }),
);
