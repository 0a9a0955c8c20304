import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { acknowledgement } from "./bench/acknowledgement.ts";
import { documentOf, type Report } from "./bench/document.ts";
import { fairness } from "./bench/fairness.ts";
import { belowFloor } from "./bench/floors.ts";
import { flow } from "./bench/flow.ts";
import { generation } from "./bench/generation.ts";
import { createGround, type Ground, placeOnDisk } from "./bench/ground.ts";
import { kit } from "./bench/kit.ts";
import { machineLines } from "./bench/machine.ts";
import { runtime } from "./bench/runtime.ts";
import type { Figures, Section } from "./bench/section.ts";
import { start } from "./bench/start.ts";
import { textOf } from "./bench/table.ts";
import { weight } from "./bench/weight.ts";
import { year } from "./bench/year.ts";
import { formatted } from "./emit/format.ts";

const sections: readonly Section[] = [
  acknowledgement,
  flow,
  fairness,
  start,
  generation,
  runtime,
  kit,
  weight,
  year,
];
const names = sections.map(({ name }) => name).join(", ");

const HELP = `npm run bench -- [--quick] [--only SECTION,..] [--write] [--json] [--data DIR]

Measures what is promised, each thing against its peers on this machine, and writes BENCHMARKS.md. Keep the machine quiet meanwhile:
it takes about half an hour.

  --quick            a taste of every section, in less than a minute; writes nothing unless --write is given
  --only SECTION,..  of ${names}; writes nothing unless --write is given. "year" runs only when it is named
                     (YEAR_RATE=10: events a second, 1 unless given)
  --write            writes BENCHMARKS.md whatever was measured
  --json             every figure as one line of JSON, instead of tables
  --data DIR         where databases are put; unless given, where temporary files go, if that is a disk
  --help             show this

Exit code: 0 done; 1 a ratio lies below its floor (scripts/bench/floors.ts); 2 it could not run.

Examples:
  npm run bench
  npm run bench -- --quick
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
const say = (line: string) => process.stderr.write(`${line}\n`);

/** @throws TypeError that says which sections there are. */
function chosen({ only }: Options): readonly Section[] {
  if (only === undefined) return sections.filter(({ isApart }) => !isApart);
  return only.split(",").map((name) => {
    const section = sections.find((each) => each.name === name.trim());
    if (!section)
      throw new TypeError(`--only: there is no section ${JSON.stringify(name)}; there are ${names}`);
    return section;
  });
}

async function measure(options: Options, ground: Ground): Promise<Report> {
  const begun = performance.now();
  const measured: Report["sections"][number][] = [];
  let figures: Figures = {};
  for (const section of chosen(options)) {
    const tell = (line: string) => say(`${clock(begun)}  ${section.name}: ${line}`);
    const findings = await section.run({ ground, quick: options.quick, say: tell });
    figures = { ...figures, ...findings.figures };
    measured.push({ section, tables: findings.tables });
    if (!options.json) for (const table of findings.tables) print(`\n${textOf(table)}`);
  }
  return {
    machine: await machineLines(options.data ?? (await placeOnDisk())),
    date: new Date().toISOString().slice(0, 10),
    isQuick: options.quick,
    minutes: (performance.now() - begun) / 60_000,
    sections: measured,
    figures,
  };
}

function clock(begun: number): string {
  const seconds = Math.round((performance.now() - begun) / 1_000);
  return `${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, "0")}`;
}

async function tell(report: Report, options: Options): Promise<number> {
  if (options.json) print(JSON.stringify(report.figures));
  else print(`\n${report.machine.join("\n")}`);
  if (options.write || (!options.quick && options.only === undefined)) {
    const texts = await formatted(new Map([[DOCUMENT_NAME, documentOf(report)]]), ROOT);
    await writeFile(join(ROOT, DOCUMENT_NAME), texts.get(DOCUMENT_NAME) ?? "");
    say("wrote BENCHMARKS.md");
  }
  const faults = belowFloor(
    report.figures,
    chosen(options).map(({ name }) => name),
  );
  for (const line of faults) say(`bench: ${line}`);
  return faults.length > 0 ? 1 : 0;
}

/** The first signal ends everything that was started; what was under way fails then, and is not told of. */
function clearOnSignal(ground: Ground): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      say("bench: stopped");
      void ground.clear().finally(() => process.exit(130));
    });
  }
}

async function main(argv: string[]): Promise<number> {
  const options = parseOptions(argv);
  if (options.help) {
    print(HELP);
    return 0;
  }
  chosen(options);
  if (options.data !== undefined) await mkdir(options.data, { recursive: true });
  const ground = createGround(options.data);
  clearOnSignal(ground);
  try {
    return await tell(await measure(options, ground), options);
  } finally {
    await ground.clear();
  }
}

// Connections that a library keeps for seconds must not hold up whoever waits for the figures.
process.exit(
  await main(process.argv.slice(2)).catch((error: unknown) => {
    const isUsage = error instanceof TypeError && !("cause" in error);
    process.stderr.write(
      `bench: ${error instanceof Error ? (isUsage ? error.message : error.stack) : error}\n`,
    );
    return 2;
  }),
);
