import { rmSync, writeFileSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type RawSql, type RunSql, SnapshotInUse } from "./engine.ts";
import { type PgliteSession, startSession } from "./pglite-session.ts";

/** A digest of a large table takes long, and nothing else waits for this session. */
const SILENCE_MS = 3_600_000;

const pathIn = (folder: string) => join(folder, "snapshot");

/** Removes what a process left that was killed while it used a snapshot. */
export const removeSnapshot = (folder: string): void =>
  rmSync(pathIn(folder), { recursive: true, force: true });

/**
 * A second cluster from a base backup, as pg_basebackup makes one: the files are copied while they change, and the log that was
 * written meanwhile makes them consistent. The one session of the database is held for a checkpoint only, not for the copying.
 */
export function snapshots(session: PgliteSession, folder: string): RawSql["snapshot"] {
  let isInUse = false;
  return async (work) => {
    if (isInUse) throw new SnapshotInUse("the embedded database is being backed up already");
    isInUse = true;
    const path = pathIn(folder);
    try {
      await copyCluster(session, join(folder, "pg"), path);
      return await onCluster(path, work);
    } finally {
      await rm(path, { recursive: true, force: true });
      isInUse = false;
    }
  };
}

async function copyCluster(session: PgliteSession, from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await session.exec("select pg_backup_start('shiftpact', true)");
  let label = "";
  try {
    await cp(from, to, { recursive: true, filter: (path) => !isLeftOut(path) });
  } finally {
    // Without it every later page is written to the log in full.
    const { rows } = await session.exec("select labelfile as label from pg_backup_stop(false)");
    label = (rows as { label: string }[])[0]?.label ?? "";
  }
  // The log goes last: it must reach past the end of the copying.
  await cp(join(from, "pg_wal"), join(to, "pg_wal"), { recursive: true });
  writeFileSync(join(to, "backup_label"), label);
}

const isLeftOut = (path: string) =>
  basename(path) === "postmaster.pid" || basename(dirname(path)) === "pg_wal";

async function onCluster<T>(path: string, work: (run: RunSql) => Promise<T>): Promise<T> {
  const copy = await startSession(path, { silenceMs: SILENCE_MS });
  try {
    await copy.run("begin transaction isolation level repeatable read, read only");
    return await work(copy.run);
  } finally {
    await copy.close();
  }
}
