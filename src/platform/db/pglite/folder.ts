import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** Writes every file and folder below `path` through to the disk. */
export function syncTree(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() || entry.isDirectory()) syncOne(join(entry.parentPath, entry.name));
  }
  syncOne(path);
}

/** Writes one file, or the names in one folder, through to the disk. */
export function syncOne(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Another process has the lock. */
export class FolderInUse extends Error {
  override readonly name = "FolderInUse";
}

/**
 * Locks the folder for this process, or throws one line that names the process which has it.
 *
 * PGlite has no lock of its own and two processes on one folder corrupt it. The lock is one that the kernel drops
 * when the process ends, however it ends: nothing goes stale after kill -9, a reboot or a reused pid. Node has no
 * call for such a lock, but its SQLite takes one on the file that it writes. The pid beside it is for operators only.
 */
export async function lockFolder(folder: string): Promise<{ release(): void }> {
  const { DatabaseSync } = await loadSqlite();
  const pidFile = join(folder, "lock.pid");
  const file = new DatabaseSync(join(folder, "lock"));
  try {
    file.exec("begin exclusive");
  } catch (error) {
    file.close();
    if (!isBusy(error)) throw error;
    throw new FolderInUse(`the data folder ${folder} is in use by another process (pid ${readPid(pidFile)})`);
  }
  writeFileSync(pidFile, `${process.pid}\n`);
  return { release: () => file.close() };
}

/** Loaded late: Node 22.12, on which the clients still run, does not have it without a flag. */
async function loadSqlite() {
  try {
    return await import("node:sqlite");
  } catch (error) {
    throw new Error("the embedded database needs Node 22.13 or newer; DATABASE_URL works without it", {
      cause: error,
    });
  }
}

const SQLITE_BUSY = 5;
const isBusy = (error: unknown) =>
  error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;

function readPid(pidFile: string): string {
  try {
    return readFileSync(pidFile, "utf8").trim();
  } catch {
    return "unknown";
  }
}

/** The folder that a restore fills; it is renamed to `folder` when it is complete. */
export const draftOf = (folder: string): string => `${folder}.restoring`;

/** Throws one line if a restore into `folder` has begun and has not finished: an empty database must not take its place. */
export function refuseUnfinishedRestore(folder: string): void {
  if (existsSync(folder) || !existsSync(draftOf(folder))) return;
  throw new Error(
    `a restore into ${folder} is not finished: wait until it ends or, if it was interrupted, run \`shiftpact restore\` again; ` +
      `to give it up, remove ${draftOf(folder)}`,
  );
}
