import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { BackupInUse, type Database } from "../engine.ts";
import type { PgliteSession } from "./session.ts";

/** More costs time, and saves little. */
const LEVEL = 1;

const pathIn = (folder: string) => join(folder, "backup");

/** Removes what a process left that was killed while it made a backup. */
export const removeCopy = (folder: string): void => rmSync(pathIn(folder), { recursive: true, force: true });

/**
 * Writes a base backup, as pg_basebackup makes one: the files are copied while they change, and the log that was written meanwhile makes them
 * consistent. The one session of the database is held for a checkpoint only. PGlite's own `dumpDataDir` blocks it, and needs memory for
 * everything.
 */
export function backups(session: PgliteSession, folder: string): NonNullable<Database["backUp"]> {
  let isInUse = false;
  return async (sink) => {
    if (isInUse) throw new BackupInUse("the embedded database is being backed up already");
    isInUse = true;
    const path = pathIn(folder);
    try {
      await copyCluster(session, join(folder, "pg"), path);
      await pack(path, sink);
    } finally {
      await rm(path, { recursive: true, force: true });
      isInUse = false;
    }
    // Who has read its end may ask for another one.
    sink.end();
    await finished(sink);
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

/** Node has no tar, and every system that it runs on has one. */
async function pack(path: string, sink: Writable): Promise<void> {
  const tar = spawn("tar", ["-c", "-f", "-", "-C", path, "."], { stdio: ["ignore", "pipe", "ignore"] });
  await Promise.all([ended(tar), pipeline(tar.stdout, createGzip({ level: LEVEL }), sink, { end: false })]);
}

/** Unpacks such a backup into a folder that exists. Rejects when it is cut off, damaged, or something else. */
export async function unpack(source: Readable, path: string): Promise<void> {
  const tar = spawn("tar", ["-x", "-o", "-f", "-", "-C", path], { stdio: ["pipe", "ignore", "ignore"] });
  const end = ended(tar);
  // Tar stops reading at the end of the archive: zlib checks what follows, and the checksum.
  tar.stdin.on("error", () => undefined);
  const feed = async (pieces: AsyncIterable<Buffer>) => {
    for await (const piece of pieces)
      if (tar.stdin.writable && !tar.stdin.write(piece)) await Promise.race([once(tar.stdin, "drain"), end]);
    tar.stdin.end();
  };
  await Promise.all([end, pipeline(source, createGunzip(), feed).finally(() => tar.stdin.end())]);
}

async function ended(tar: ReturnType<typeof spawn>): Promise<void> {
  const [code] = await once(tar, "close");
  if (code !== 0) throw new Error(`tar ended with code ${code}`);
}
