import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { type Database, type Log, openUnmigrated } from "../db/database.ts";
import type { RunSql } from "../db/engine.ts";
import { lockFolder } from "../db/folder-lock.ts";
import { inTransaction } from "../db/in-transaction.ts";
import { syncOne, syncTree } from "../db/sync.ts";
import { draftOf } from "../db/unfinished-restore.ts";
import type { Vault } from "../deps.ts";
import { checkSecretKeys } from "../integrations/reseal.ts";
import { hasTables } from "./catalog.ts";
import { prepareCatchUp } from "./catch-up.ts";
import { type Ended, endRevoked } from "./ending.ts";
import { BackupError } from "./format.ts";
import { inspect } from "./inspect.ts";
import { type Loaded, load } from "./load.ts";

export interface Target {
  /** PostgreSQL; unset: embedded, in the folder `database`. */
  url: string | undefined;
  /** Reaches PostgreSQL without the pooler, in transaction mode, that `url` leads to. */
  directUrl?: string | undefined;
  database: string;
  vault: Vault;
  /** The candidateIds of people who were erased after the backup, if that is known. */
  erased?: readonly string[] | undefined;
  log: Log;
}

export interface Restored extends Loaded {
  ended: Ended;
}

/**
 * Restores a backup into an empty PostgreSQL database, in one transaction, or into a new folder, which has its name only when it is
 * complete. Rejects with BackupError when that cannot be.
 * @param read the lines of the file, from the beginning at each call: it is read to its end before anything is written
 */
export async function restore(target: Target, read: () => AsyncIterable<string>): Promise<Restored> {
  const { url, directUrl, database, log } = target;
  const fill = (opened: Database) => fillDatabase(opened, read, target);
  if (url !== undefined) return using(await openUnmigrated({ url, directUrl, log }), fill);
  if (existsSync(database))
    throw new BackupError(
      `${database} exists: a backup is restored into a new folder; name another with --data, or move this one away`,
    );
  const draft = draftOf(database);
  await removeDraft(draft);
  const restored = await using(await openUnmigrated({ dataDir: draft, log }), fill).catch((error) => {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  });
  syncTree(draft);
  renameSync(draft, database);
  syncOne(dirname(database));
  return restored;
}

/** What an interrupted restore left; refused while another one fills it. */
async function removeDraft(draft: string): Promise<void> {
  if (!existsSync(draft)) return;
  (await lockFolder(draft)).release();
  rmSync(draft, { recursive: true, force: true });
}

async function using<T>(database: Database, use: (database: Database) => Promise<T>): Promise<T> {
  return use(database).finally(database.close);
}

/** Everything or nothing. Other processes that start on the database wait for the end. */
async function fillDatabase(
  { raw }: Database,
  read: () => AsyncIterable<string>,
  { vault, erased }: Pick<Target, "vault" | "erased">,
): Promise<Restored> {
  return raw.alone(async (run) => {
    if (await hasTables(run))
      throw new BackupError("the database is not empty: a backup is restored into an empty one");
    const { header } = await inspect(read());
    if (header.organisation !== undefined)
      throw new BackupError(
        "the file holds one organisation, not a database: add it to the database of a platform with --organisation",
      );
    return inTransaction(run, async () => {
      const result = await load(run, read());
      await requireKeys(run, vault);
      await run("set local search_path to shiftpact, public");
      const ended = await endRevoked(run, erased);
      await prepareCatchUp(run, result.header, ended);
      return { ...result, ended };
    });
  });
}

/** Values of the database may still be sealed with an older key than the file. */
export const requireKeys = (run: RunSql, vault: Vault): Promise<void> =>
  checkSecretKeys(run, vault).catch((error) => {
    throw new BackupError(error.message, { cause: error });
  });
