import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { arch, cpus, release, type as system, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { commonPostgres, type PostgresServer, startPostgres } from "../../test/harness/embedded-postgres.ts";
import { isInMemory, placeOnDisk } from "../../test/harness/process.ts";

const LOCK = fileURLToPath(new URL("../../package-lock.json", import.meta.url));

/**
 * Returns the conditions of the figures: processor, memory, operating system, the place of the data, and other work on the machine.
 * @param load the load average before the benchmark, whose own work counts too from then on
 */
export async function machineLine(dataPlace: string, load: number): Promise<string> {
  const [first, ...others] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const model = first?.model.trim() || "unknown processor";
  const place = (await isInMemory(dataPlace)) ? "in memory, where a sync costs nothing" : "on disk";
  const busy = load < 1 ? "" : `, beside other work (load average ${load.toFixed(1)})`;
  return `${others.length + 1} cores of ${model}, ${memory} GiB, ${system()} ${release()} ${arch()}, data ${place}${busy}`;
}

/** Returns the version of the server and whether it compiles statements: `PostgreSQL 15.14 (Debian 15.14-0+deb12u1) with jit = on`. */
export async function serverLine(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client
    .query(
      "select current_setting('server_version') as version, current_setting('jit') as jit, pg_jit_available() as compiles",
    )
    .finally(() => client.end());
  const [{ version, jit, compiles }] = rows;
  return `PostgreSQL ${version} with jit = ${jit}${jit === "on" && !compiles ? ", but built without it" : ""}`;
}

/** Returns the versions of Node and of installed packages: `Node 24.21.0, express 5.3.0`. */
export function versionsLine(names: readonly string[]): string {
  const { packages } = JSON.parse(readFileSync(LOCK, "utf8"));
  const versions = names.map((name) => `${name} ${packages[`node_modules/${name}`]?.version ?? "?"}`);
  return [`Node ${process.versions.node}`, ...versions].join(", ");
}

/** Linux counts in hundredths of a second. */
const TICK_US = 10_000;

/** Returns the CPU time of these processes and their ended children, in microseconds; 0 without /proc. */
export function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid) * TICK_US, 0);
}

function ticksOf(pid: number): number {
  try {
    // The name in brackets may hold anything; user and system time are the 12th and 13th field after it, those of children the next two.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  } catch {
    return 0;
  }
}

/** Returns the CPU time of this process so far, in microseconds. */
export function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** The folders and servers of a benchmark, which it removes and ends afterwards. */
export interface Resources {
  /** Creates an empty folder, on a disk where the machine has one. */
  folder(name: string): Promise<string>;
  /** Returns one server for all sections, with the default settings, fsync included. */
  postgres(): Promise<PostgresServer>;
  /** Registers a callback for `clear`, which calls the last one first. It must accept a call after its resource has ended. */
  onClear(end: () => unknown): void;
  clear(): Promise<void>;
}

/** @param place the folder for data; the temporary folder unless given, if it is on a disk */
export function createResources(place?: string): Resources {
  const ends: (() => unknown)[] = [];
  let server: Promise<PostgresServer> | undefined;
  let cleared: Promise<void> | undefined;
  const folder = async (name: string) => {
    if (cleared) throw new Error("the benchmark was stopped");
    const path = await mkdtemp(join(place ?? (await placeOnDisk()), `shiftpact-bench-${name}-`));
    ends.push(() => rm(path, { recursive: true, force: true, maxRetries: 3 }));
    // PostgreSQL may run as a separate user, which needs access to its folder.
    await chmod(path, 0o755);
    return path;
  };
  const start = async () => {
    const databaseDir = join(await folder("postgres"), "data");
    const started = await startPostgres({ databaseDir, native: commonPostgres() });
    ends.push(() => started.crash());
    return started;
  };
  return {
    folder,
    postgres: () => {
      server ??= start();
      return server;
    },
    onClear: (end) => void ends.push(end),
    clear: () => {
      cleared ??= clear(ends, server);
      return cleared;
    },
  };
}

async function clear(ends: (() => unknown)[], server: Promise<unknown> | undefined): Promise<void> {
  // A starting server can be ended only after its start.
  await server?.catch(() => undefined);
  for (let end = ends.pop(); end; end = ends.pop()) {
    await Promise.resolve(end()).catch(() => undefined);
  }
}
