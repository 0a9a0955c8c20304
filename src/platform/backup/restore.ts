import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { type Log, openUnmigrated } from "../db/database.ts";
import { unpack } from "../db/pglite/backup.ts";
import { draftOf, lockFolder, syncOne, syncTree } from "../db/pglite/folder.ts";
import { afterRestore, BackupError, type Ended } from "./after-restore.ts";

export interface Target {
  /** The folder of the embedded database, which does not exist yet. */
  database: string;
  erased?: readonly string[] | undefined;
  log: Log;
}

export interface RestoredFolder extends Ended {
  /** ISO 8601. */
  takenAt: string;
}

/**
 * Restores a backup of the embedded database into a new folder, which has its name only when it is complete and ready for a platform.
 * Rejects with BackupError when that cannot be.
 */
export async function restore({ database, erased, log }: Target, source: Readable): Promise<RestoredFolder> {
  if (existsSync(database))
    throw new BackupError(
      `${database} exists: a backup is restored into a new folder; name another with --data, or move this one away`,
    );
  const draft = draftOf(database);
  await removeDraft(draft);
  const restored = await fill(draft, source, { erased, log }).catch((error) => {
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

async function fill(draft: string, source: Readable, { erased, log }: Omit<Target, "database">) {
  mkdirSync(join(draft, "pg"), { recursive: true, mode: 0o700 });
  const lock = await lockFolder(draft);
  const takenAt = await unpack(source, join(draft, "pg"))
    .then(() => takenAtOf(join(draft, "pg")))
    .catch((error) => {
      throw new BackupError("the file is incomplete or damaged, or no backup of the embedded database", {
        cause: error,
      });
    })
    .finally(() => lock.release());
  const opened = await openUnmigrated({ dataDir: draft, log });
  const ended = await afterRestore(opened, { takenAt, erased }).finally(opened.close);
  return { ...ended, takenAt };
}

/** PostgreSQL writes it into each base backup, and removes the file when it starts. */
function takenAtOf(cluster: string): string {
  const [, time = ""] = /^START TIME: (.+)$/m.exec(readFileSync(join(cluster, "backup_label"), "utf8")) ?? [];
  return new Date(time).toISOString();
}
