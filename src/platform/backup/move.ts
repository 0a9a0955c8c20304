import { type Database, type Log, openUnmigrated } from "../db/database.ts";
import type { RunSql } from "../db/engine.ts";
import type { Vault } from "../deps.ts";
import { AS_TEXT, hasTables, readTables } from "./catalog.ts";
import { type Digest, digestOf, isSame } from "./digest.ts";
import { dump } from "./dump.ts";
import { linesOf } from "./file.ts";
import { BackupError } from "./format.ts";
import { fillDatabase } from "./restore.ts";

export interface Move {
  /** Nothing writes to it meanwhile. */
  source: Database;
  /** Of PostgreSQL. */
  url: string;
  vault: Vault;
  log: Log;
}

export interface Moved {
  tables: number;
  rows: number;
  /** An earlier move had copied everything, but was interrupted before it marked the folder. */
  wasThere: boolean;
}

/**
 * Copies everything to an empty PostgreSQL database, in one transaction, and compares the count and the checksum of each table on both
 * sides. A move that was interrupted leaves nothing there, or everything: then the next one only compares.
 */
export async function move({ source, url, vault, log }: Move): Promise<Moved> {
  const target = await openUnmigrated({ url, log });
  try {
    return await source.raw.snapshot(async (run) => {
      const isThere = await target.raw.alone(hasTables);
      if (!isThere) await fillDatabase(target, linesOf(dump(run, source.engine)), vault);
      await run(AS_TEXT);
      const [here, there] = [await digests(run), await target.raw.alone(digestsApart)];
      const differing = [...here].filter(([name, digest]) => !isEqual(digest, there.get(name)));
      if (differing.length > 0)
        throw new BackupError(
          `the PostgreSQL database is not empty, and differs in ${differing.map(([name]) => name).join(", ")}: name an empty one`,
        );
      const rows = [...here.values()].reduce((sum, digest) => sum + digest.rows, 0);
      return { tables: here.size, rows, wasThere: isThere };
    });
  } finally {
    await target.close();
  }
}

const isEqual = (here: Digest, there: Digest | undefined) => there !== undefined && isSame(here, there);

/** By table. */
async function digests(run: RunSql): Promise<Map<string, Digest>> {
  const found = new Map<string, Digest>();
  for (const table of await readTables(run)) found.set(table.name, await digestOf(run, table));
  return found;
}

async function digestsApart(run: RunSql): Promise<Map<string, Digest>> {
  await run(`begin transaction isolation level repeatable read, read only; ${AS_TEXT}`);
  const found = await digests(run);
  await run("rollback");
  return found;
}
