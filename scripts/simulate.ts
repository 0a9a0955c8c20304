import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { ALLOWED, type Allowed } from "./simulate/allowed.ts";
import { type CheckReport, check } from "./simulate/check.ts";
import { compare } from "./simulate/record.ts";
import { createProgress, reportOf } from "./simulate/report.ts";
import { JUDGED, LEFT_OUT } from "./simulate/timeliness.ts";

const HELP = `npm run simulate -- [options]
npm run simulate -- --compare OLD NEW

Tests the plan of the reconciler: random schedules of commands, webhooks, faults and restarts in simulated time, against a model provider
in every dialect. Prints the smallest counterexample as a sequence of events and calls.

  --schedules N         how many; 20,000 unless given
  --seed S              of all choices; random unless given, and printed. A seed repeats its schedules.
  --count               counts the schedules that violate a property, instead of reducing the first
  --write-outcome FILE  writes a line of JSON for each schedule: jobs, bookings, issues, calls, and notifications at its end
  --compare OLD NEW     compares two such files, of the same seed and two plans
  --help                this text

Exit code 0: every property held, or both files agree; 1: a counterexample, or a difference; 2: it could not run.

Examples:
  npm run simulate
  npm run simulate -- --schedules 1000
  npm run simulate -- --schedules 200000 --seed 42
  npm run simulate -- --schedules 5000 --count`;

const SCHEDULES = 20_000;

interface Options {
  schedules: number;
  seed: number;
  isCounting: boolean;
  outcomeFile: string | undefined;
}

type Asked = { do: "help" } | { do: "compare"; files: [string, string] } | ({ do: "check" } & Options);

/** @throws TypeError */
function read(argv: string[]): Asked {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      schedules: text,
      seed: text,
      count: flag,
      "write-outcome": text,
      compare: flag,
      help: { ...flag, short: "h" },
    },
  });
  if (values.help) return { do: "help" };
  const [older, newer, ...others] = positionals;
  if (values.compare) {
    if (older === undefined || newer === undefined || others.length > 0)
      throw new TypeError("--compare needs two files");
    return { do: "compare", files: [older, newer] };
  }
  if (older !== undefined) throw new TypeError(`${JSON.stringify(older)} is no option`);
  const whole = (name: "schedules" | "seed", least: number, otherwise: number) => {
    const value = Number(values[name] ?? otherwise);
    if (Number.isSafeInteger(value) && value >= least && value < 2 ** 31) return value;
    throw new TypeError(
      `--${name} must be a whole number from ${least}, not ${JSON.stringify(values[name])}`,
    );
  };
  return {
    do: "check",
    schedules: whole("schedules", 1, SCHEDULES),
    seed: whole("seed", 0, Math.floor(Math.random() * 2 ** 31)),
    isCounting: values.count ?? false,
    outcomeFile: values["write-outcome"],
  };
}

function main(argv: string[]): number {
  const asked = read(argv);
  switch (asked.do) {
    case "help":
      console.log(HELP);
      return 0;
    case "compare":
      return compareFiles(asked.files);
    case "check":
      return simulateAll(asked, argv);
  }
}

function compareFiles(files: [string, string]): number {
  const [before, after] = files.map((file) => readFileSync(file, "utf8").trimEnd().split("\n"));
  const [summary, ...differences] = compare(before ?? [], after ?? []);
  console.log([summary, ...differences].join("\n"));
  return differences.length > 0 ? 1 : 0;
}

function simulateAll(options: Options, argv: readonly string[]): number {
  const { schedules, seed, outcomeFile } = options;
  const isColoured = process.stdout.isTTY === true && !process.env.NO_COLOR;
  console.log(`${schedules} schedules, seed ${seed}`);
  const startedAt = performance.now();
  const progress = createProgress(process.stderr, schedules);
  const file = outcomeFile === undefined ? undefined : openSync(outcomeFile, "w");
  const report = check({
    ...options,
    count: schedules,
    isRecorded: file !== undefined,
    onRun: (done, { record }) => {
      progress.show(done);
      if (file !== undefined) writeSync(file, `${JSON.stringify(record)}\n`);
    },
  });
  if (file !== undefined) closeSync(file);
  progress.end();
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  if (report.counterexample) {
    const command = `npm run simulate -- ${[...without(argv, "--seed"), "--seed", seed].join(" ")}`;
    console.log(reportOf(report.counterexample, { isColoured, command, schedules: report.schedules }));
    return 1;
  }
  printCounts(report, seconds);
  return report.failing.size > 0 ? 1 : 0;
}

/** Returns the arguments without an option and its value. */
function without(argv: readonly string[], name: string): readonly string[] {
  const index = argv.indexOf(name);
  return index < 0 ? argv : [...argv.slice(0, index), ...argv.slice(index + 2)];
}

function printCounts({ failing, schedules, allowed, judged }: CheckReport, seconds: string) {
  if (failing.size === 0) console.log(`every property held in ${schedules} schedules (${seconds} s)`);
  else console.log(`${failing.size} of ${schedules} schedules violate a property (${seconds} s)`);
  for (const [number, violations] of failing) console.log(`  schedule ${number}: ${violations[0]}`);
  for (const [allowance, count] of [...allowed.counts].sort())
    console.log(`  allowed ${count} times: ${ALLOWED[allowance as Allowed]}`);
  for (const [as, count] of [...judged].sort()) {
    const isJudged = as in JUDGED;
    const why = isJudged ? JUDGED[as as keyof typeof JUDGED] : LEFT_OUT[as as keyof typeof LEFT_OUT];
    console.log(`  changes ${isJudged ? "judged by their time" : "left out"}: ${count}, ${why}`);
  }
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  console.error(`The simulation could not run: ${(error as Error).message}\n\n${HELP}`);
  process.exitCode = 2;
}
