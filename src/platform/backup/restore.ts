import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { type Database, type Log, openUnmigrated } from "../db/database.ts";
import { lockFolder } from "../db/folder-lock.ts";
import { inTransaction } from "../db/in-transaction.ts";
import { syncOne, syncTree } from "../db/sync.ts";
import { draftOf } from "../db/unfinished-restore.ts";
import type { Vault } from "../deps.ts";
import { keyFault } from "../integrations/vault.ts";
import { prepareCatchUp } from "./catch-up.ts";
import { BackupError } from "./format.ts";
import { type Loaded, load } from "./load.ts";

export interface Target {
  /** PostgreSQL; unset: embedded, in the folder `database`. */
  url: string | undefined;
  /** Reaches PostgreSQL without the pooler, in transaction mode, that `url` leads to. */
  directUrl?: string | undefined;
  database: string;
  vault: Vault;
  log: Log;
}

/**
 * Restores a backup into an empty PostgreSQL database, in one transaction, or into a new folder, which has its name only when it is
 * complete. Rejects with BackupError when that cannot be.
 */
export async function restore(target: Target, lines: AsyncIterable<string>): Promise<Loaded> {
  const { url, directUrl, database, log } = target;
  const fill = (opened: Database) => fillDatabase(opened, lines, target.vault);
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
async function fillDatabase({ raw }: Database, lines: AsyncIterable<string>, vault: Vault): Promise<Loaded> {
  return raw.alone((run) =>
    inTransaction(run, async () => {
      const result = await load(run, lines, (header) => {
        if (header.organisation !== undefined)
          throw new BackupError(
            "the file holds one organisation, not a database: add it to the database of a platform with --organisation",
          );
        requireKey(header.sealed, vault);
      });
      // Who has signed out since the backup must not be signed in again.
      await run("delete from shiftpact.console_sessions");
      await prepareCatchUp(run, result.header);
      return result;
    }),
  );
}

export function requireKey(sealed: string | null, vault: Vault): void {
  const fault = sealed === null ? undefined : keyFault(sealed, vault);
  if (fault !== undefined)
    throw new BackupError(
      `the backup was ${fault}: restore it with the SECRET_KEY of the platform it comes from`,
    );
}
