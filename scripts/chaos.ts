import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Engine } from "../src/platform/db/database.ts";
import { distributeAt } from "../test/harness/citus.ts";
import { type PostgresServer, startPostgres } from "../test/harness/embedded-postgres.ts";
import { type Disk, makeDisk, whyNoDisk } from "./chaos/disk.ts";
import type { ChaosReport } from "./chaos/options.ts";
import { type Pair, startPair } from "./chaos/pair.ts";
import { powerCuts } from "./chaos/power-cut.ts";
import { chaos } from "./chaos/run.ts";
import { tableOf } from "./chaos/table.ts";

const HELP = `npm run chaos -- [--kills N | --minutes N] [--engine pglite|postgres|both] [--seed N] [--malformed N] [--power-cuts N]
                [--failover]

Kills the platform with SIGKILL at random moments (also during its start and within provider calls) and PostgreSQL itself, fills the disk,
lets the clock jump, interrupts the mail server, and gives providers many faults. Meanwhile webhooks arrive (repeated and out of order too),
and people accept, withdraw and cancel. Then it sends malformed requests, waits until the platform is idle, and compares both sides.

  --kills N    the least number of SIGKILLs of the platform on each engine; 30 unless given
  --minutes N  the whole duration; unless --kills is given too, it requires 2 SIGKILLs a minute
  --engine E   both unless given
  --seed N     of the random choices; CHAOS_SEED unless given, else a random number; it is printed
  --malformed N   the number of requests in all; 20,000 a minute with --minutes, else 100,000
  --failover   PostgreSQL is a primary and a synchronous standby behind haproxy: half of the faults are failovers, of a primary that is killed,
               hangs, or is switched over; at least five, with five SIGKILLs of the platform (Debian's package haproxy)
  CITUS_URL=URL   with --engine postgres: an empty database with the extension citus and its workers, which is distributed; its servers and
               their disks are left alone
  --power-cuts N  only cuts the power N times on each engine (Linux, root, mkfs.ext4, a loop device)

Exit code 0: nothing lost, doubled or disagreeing, no 5xx, memory steady; 1: a violation, or too little happened to prove anything;
2: it could not run.

Examples:
  npm run chaos
  npm run chaos -- --minutes 5
  npm run chaos -- --engine postgres --kills 5 --seed 42
  npm run chaos -- --failover`;

interface Options {
  /** The least number on each engine. */
  kills: number;
  useWholeBudget: boolean;
  engines: readonly Engine[];
  seed: number;
  /** The time for faults on each engine. Milliseconds. */
  budgetMs: number;
  /** On each engine. */
  malformed: number;
  powerCuts: number;
  failover: boolean;
}

const TEXT = { type: "string" } as const;
/** The share of the minutes for faults; the rest is for malformed requests and settling. */
const FAULT_SHARE = 0.55;
const LONGEST_MINUTES = 40;
const KILLS = 30;
const KILLS_A_MINUTE = 2;
/** The least number; also of the SIGKILLs. */
const FAILOVERS = 5;
const MALFORMED_A_MINUTE = 20_000;
const MALFORMED = 100_000;

function read(argv: string[]): Options | undefined {
  const { values } = parseArgs({
    args: argv,
    options: {
      kills: TEXT,
      engine: TEXT,
      seed: { ...TEXT, default: process.env.CHAOS_SEED },
      minutes: TEXT,
      malformed: TEXT,
      "power-cuts": TEXT,
      failover: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return undefined;
  const whole = (name: Exclude<keyof typeof values, "help" | "engine" | "failover">) => {
    const text = values[name];
    if (text === undefined) return undefined;
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw new TypeError(`--${name} must be a whole number, not ${JSON.stringify(text)}`);
  };
  const { failover } = values;
  const engines = enginesOf(values.engine ?? (failover ? "postgres" : "both"));
  if (failover && engines.includes("pglite")) throw new TypeError("--failover is about PostgreSQL alone");
  const minutes = whole("minutes");
  const malformed = whole("malformed") ?? (minutes === undefined ? MALFORMED : minutes * MALFORMED_A_MINUTE);
  return {
    engines,
    kills: whole("kills") ?? (failover ? FAILOVERS : Math.min(KILLS, (minutes ?? KILLS) * KILLS_A_MINUTE)),
    useWholeBudget: minutes !== undefined,
    seed: whole("seed") ?? Date.now() % 1_000_000,
    budgetMs: ((minutes ?? LONGEST_MINUTES) * 60_000 * FAULT_SHARE) / engines.length,
    malformed: Math.ceil(malformed / engines.length),
    powerCuts: whole("power-cuts") ?? 0,
    failover,
  };
}

function enginesOf(engine = "both"): readonly Engine[] {
  if (engine === "both") return ["pglite", "postgres"];
  if (engine === "pglite" || engine === "postgres") return [engine];
  throw new TypeError(`--engine must be pglite, postgres or both, not ${JSON.stringify(engine)}`);
}

/** Keeps PostgreSQL's log small, because the disk that is filled up is small. */
const SMALL_LOG = ["-c", "max_wal_size=128MB"];

async function onEngine(engine: Engine, options: Options): Promise<ChaosReport> {
  const citusUrl = engine === "postgres" && !options.failover ? process.env.CITUS_URL : undefined;
  const folder = await mkdtemp(join(tmpdir(), "shiftpact-chaos-"));
  // PostgreSQL may run as a separate user, which needs access to its folder.
  await chmod(folder, 0o755);
  const disk = options.failover || citusUrl ? undefined : smallDisk(engine, folder);
  const place = disk?.folder ?? folder;
  await chmod(place, 0o755);
  const dataDir = join(place, "platform");
  await mkdir(dataDir);
  if (citusUrl) await distributeAt(citusUrl);
  const server = engine === "postgres" && !citusUrl ? await startServer(place, options) : undefined;
  try {
    await server?.createDatabase("chaos");
    return await chaos({
      engine,
      dataDir,
      clockJumps: true,
      ...options,
      ...(disk && { disk }),
      ...(server && { postgres: { server, database: "chaos" } }),
      ...(citusUrl && { postgres: partsOf(citusUrl) }),
      onFault: (fault, kills) => print(`${engine}: ${fault}; ${kills} SIGKILLs so far`),
    });
  } finally {
    await server?.stop();
    disk?.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

function partsOf(url: string) {
  const { protocol, username, password, host, pathname } = new URL(url);
  return { server: { url: `${protocol}//${username}:${password}@${host}` }, database: pathname.slice(1) };
}

function smallDisk(engine: Engine, folder: string): Disk | undefined {
  const why = whyNoDisk(folder);
  if (why === undefined) return makeDisk(folder);
  print(`${engine}: the disk is not filled up: ${why}`);
  return undefined;
}

const startServer = (place: string, { failover }: Options): Promise<PostgresServer | Pair> =>
  failover ? startPair(place) : startPostgres({ databaseDir: join(place, "pg"), flags: SMALL_LOG });

/** The most findings of one kind that are printed; the table counts them all. */
const MOST_PRINTED = 20;

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Prints a row for each engine. */
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
      print(`${engine}: ${cuts} power cuts, ${acknowledged} events acknowledged, ${inAll} lost`);
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
    print(HELP);
    return 0;
  }
  print(`seed ${options.seed}`);
  if (options.powerCuts > 0) return cutPower(options);
  const reports = new Map<Engine, ChaosReport>();
  for (const engine of options.engines) {
    const begun = performance.now();
    const report = await onEngine(engine, options);
    reports.set(engine, report);
    print(`${engine}: took ${Math.round((performance.now() - begun) / 1_000)} s`);
    for (const [kind, found] of Map.groupBy(report.findings, (finding) => finding.kind))
      for (const { what } of found.slice(0, MOST_PRINTED)) print(`${engine}: ${kind}: ${what}`);
  }
  for (const line of tableOf(reports)) print(line);
  return [...reports.values()].every(({ findings }) => findings.length === 0) ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`chaos: ${error instanceof Error ? error.message : error}\n`);
  if (error instanceof Error && error.cause) process.stderr.write(`${(error.cause as Error).stack}\n`);
  process.exitCode = 2;
}
