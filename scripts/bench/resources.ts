import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { commonPostgres } from "../../test/harness/chosen-postgres.ts";
import { placeOnDisk } from "../../test/harness/disk.ts";
import { type PostgresServer, startPostgres } from "../../test/harness/embedded-postgres.ts";

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
