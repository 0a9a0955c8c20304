import { parseArgs } from "node:util";
import { ALLOWED, type Allowed } from "./simulate/allowed.ts";
import { check } from "./simulate/check.ts";
import { createProgress } from "./simulate/progress.ts";
import { reportOf } from "./simulate/report.ts";

const HELP = `npm run simulate -- [--schedules N] [--seed S]

Tests the plan of the reconciler: random schedules of commands, webhooks, faults and restarts in simulated time, against a model provider
in every dialect. Prints the smallest counterexample as a sequence of events and calls.

  --schedules N  how many; 20,000 unless given
  --seed S       of all choices; random unless given, and printed. A seed repeats its schedules.
  --help         this text

Exit code 0: every property held; 1: a counterexample; 2: it could not run.

Examples:
  npm run simulate
  npm run simulate -- --schedules 1000
  npm run simulate -- --schedules 200000 --seed 42`;

const SCHEDULES = 20_000;

interface Options {
  schedules: number;
  seed: number;
}

/** @throws TypeError */
function read(argv: string[]): Options | undefined {
  const text = { type: "string" } as const;
  const help = { type: "boolean", short: "h" } as const;
  const { values } = parseArgs({ args: argv, options: { schedules: text, seed: text, help } });
  if (values.help) return undefined;
  const whole = (name: "schedules" | "seed", least: number, otherwise: number) => {
    const value = Number(values[name] ?? otherwise);
    if (Number.isSafeInteger(value) && value >= least && value < 2 ** 31) return value;
    throw new TypeError(
      `--${name} must be a whole number from ${least}, not ${JSON.stringify(values[name])}`,
    );
  };
  return {
    schedules: whole("schedules", 1, SCHEDULES),
    seed: whole("seed", 0, Math.floor(Math.random() * 2 ** 31)),
  };
}

function main(argv: string[]): number {
  const options = read(argv);
  if (!options) {
    console.log(HELP);
    return 0;
  }
  const { schedules, seed } = options;
  const isColoured = process.stdout.isTTY === true && !process.env.NO_COLOR;
  console.log(`${schedules} schedules, seed ${seed}`);
  const startedAt = performance.now();
  const progress = createProgress(process.stderr, schedules);
  const report = check({ seed, count: schedules, onRun: progress.show });
  progress.end();
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  if (report.counterexample) {
    const command = `npm run simulate -- --schedules ${schedules} --seed ${seed}`;
    console.log(reportOf(report.counterexample, { isColoured, command, schedules: report.schedules }));
    return 1;
  }
  console.log(`every property held in ${report.schedules} schedules (${seconds} s)`);
  for (const [allowance, count] of [...report.allowed.counts].sort())
    console.log(`  allowed ${count} times: ${ALLOWED[allowance as Allowed]}`);
  return 0;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  console.error(`The simulation could not run: ${(error as Error).message}\n\n${HELP}`);
  process.exitCode = 2;
}
