import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Engine } from "../src/platform/db/database.ts";
import { whyNoDisk } from "./chaos/disk.ts";
import { powerCuts } from "./chaos/power-cut.ts";
import { type ChaosReport, chaos } from "./chaos/run.ts";
import { startPostgres } from "./embedded-postgres.ts";

const HELP = `npm run chaos -- [--kills N] [--engine pglite|postgres|both] [--seed N] [--minutes N] [--power-cuts N]

Kills the platform with SIGKILL at random moments (also while it starts and in the middle of provider calls, and PostgreSQL itself),
under a stream of webhooks, accepts, withdrawals and cancels and faulty providers, and compares both sides afterwards.

  --kills N    on each engine; 30 unless given
  --engine E   both unless given
  --seed N     of the choices; made up and printed unless given
  --minutes N  no kill begins later, on each engine; 10 unless given
  --power-cuts N  instead of the kills: cuts the power N times on each engine (Linux, root, mkfs.ext4, a loop device)

Exit code 0: nothing lost, doubled or disagreeing; 1: something was; 2: it could not run.`;

interface Options {
  kills: number;
  engines: readonly Engine[];
  seed: number;
  minutes: number;
  powerCuts: number;
}

function read(argv: string[]): Options | undefined {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: argv,
    options: {
      kills: text,
      engine: text,
      seed: text,
      minutes: text,
      "power-cuts": text,
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return undefined;
  const { engine = "both" } = values;
  if (engine !== "both" && engine !== "pglite" && engine !== "postgres") {
    throw new TypeError("--engine must be pglite, postgres or both");
  }
  const whole = (name: "kills" | "seed" | "minutes" | "power-cuts", fallback: number) => {
    const value = Number(values[name] ?? fallback);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw new TypeError(`--${name} must be a whole number`);
  };
  return {
    kills: whole("kills", 30),
    engines: engine === "both" ? ["pglite", "postgres"] : [engine],
    seed: whole("seed", Date.now() % 1_000_000),
    minutes: whole("minutes", 10),
    powerCuts: whole("power-cuts", 0),
  };
}

async function onEngine(engine: Engine, { kills, seed, minutes }: Options): Promise<ChaosReport> {
  const folder = await mkdtemp(join(tmpdir(), "shiftpact-chaos-"));
  // PostgreSQL may run as a user of its own, who must get to its folder.
  await chmod(folder, 0o755);
  const dataDir = join(folder, "platform");
  await mkdir(dataDir);
  const server = engine === "postgres" ? await startPostgres({ databaseDir: join(folder, "pg") }) : undefined;
  try {
    await server?.createDatabase("chaos");
    const postgres = server && { postgres: { server, database: "chaos" } };
    const onKill = (moment: string, count: number) => say(`${engine}: kill ${count} of ${kills}: ${moment}`);
    return await chaos({ engine, kills, seed, budgetMs: minutes * 60_000, dataDir, onKill, ...postgres });
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const say = (line: string) => process.stdout.write(`${line}\n`);

function list(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([what, count]) => `${what} ${count}`).join(", ");
}

function table(reports: ReadonlyMap<Engine, ChaosReport>): string[] {
  const head = ["engine", "kills", "acknowledged", "lost", "doubled", "disagreeing"];
  const rows = [...reports].map(([engine, { kills, acknowledged, findings }]) => {
    const found = (kind: string) => findings.filter((finding) => finding.kind === kind).length;
    const killed = [...kills.values()].reduce((sum, count) => sum + count, 0);
    return [engine, killed, acknowledged, found("lost"), found("doubled"), found("disagreeing")].map(String);
  });
  return [head, ...rows].map((row) =>
    row.map((cell, index) => cell.padEnd(head[index]?.length ?? 0)).join("  "),
  );
}

/** A row an engine, like the table of the kills. */
async function cutPower({ engines, powerCuts: cuts, seed }: Options): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "shiftpact-power-cut-"));
  await chmod(folder, 0o755);
  try {
    const reason = whyNoDisk(folder);
    if (reason !== undefined) throw new Error(reason);
    let sum = 0;
    for (const engine of engines) {
      const { acknowledged, lost } = await powerCuts({ engine, cuts, seed, folder });
      const inAll = lost.reduce((all, each) => all + each, 0);
      say(`${engine}: ${cuts} power cuts, ${acknowledged} events acknowledged, ${inAll} lost`);
      sum += inAll;
    }
    return sum === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function main(argv: string[]): Promise<number> {
  const options = read(argv);
  if (!options) {
    say(HELP);
    return 0;
  }
  say(`seed ${options.seed}`);
  if (options.powerCuts > 0) return cutPower(options);
  const reports = new Map<Engine, ChaosReport>();
  for (const engine of options.engines) {
    const begun = performance.now();
    const report = await onEngine(engine, options);
    reports.set(engine, report);
    say(`${engine}: ${list(report.done)}; kills: ${list(report.kills)}`);
    for (const { kind, what } of report.findings) say(`${engine}: ${kind}: ${what}`);
    say(`${engine}: took ${Math.round((performance.now() - begun) / 1_000)} s`);
  }
  for (const line of table(reports)) say(line.trimEnd());
  return [...reports.values()].every(({ findings }) => findings.length === 0) ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`chaos: ${error instanceof Error ? error.message : error}\n`);
  if (error instanceof Error && error.cause) process.stderr.write(`${(error.cause as Error).stack}\n`);
  process.exitCode = 2;
}
