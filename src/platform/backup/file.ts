import { createReadStream, existsSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { Database } from "../db/engine.ts";
import { syncOne } from "../db/sync.ts";
import { type DumpOptions, dump } from "./dump.ts";
import { BackupError } from "./format.ts";

/** The database is faster than any better compression. */
const LEVEL = 1;

/** Writes a compressed backup of the database, or of one organisation, as it is now. */
export async function writeBackup(
  { raw, engine }: Database,
  sink: Writable,
  options?: DumpOptions,
): Promise<void> {
  await raw.snapshot((run) => pipeline(dump(run, engine, options), createGzip({ level: LEVEL }), sink));
}

/**
 * Makes the file `path` of the draft that `write` makes, once that is complete and on the disk. Only its owner may read it, as it holds
 * personal data.
 */
export async function makeFile(
  path: string,
  isReplaced: boolean,
  write: (draft: string) => Promise<void>,
): Promise<void> {
  if (existsSync(path) && !isReplaced)
    throw new BackupError(`the file ${path} exists: choose another name, or replace it with --force`);
  // One of a process that was killed is overwritten by the next.
  const draft = join(dirname(path), `.${basename(path)}.partial`);
  try {
    await write(draft);
    syncOne(draft);
    renameSync(draft, path);
    syncOne(dirname(path));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The lines of a backup file, as they are read. `onRows` is called with the number of lines that were. */
export async function* readLines(
  path: string,
  onRows: (rows: number) => void = () => undefined,
): AsyncGenerator<string> {
  const file = createReadStream(path);
  const text = createGunzip();
  file.once("error", (error) => text.destroy(error));
  text.setEncoding("utf8");
  try {
    for await (const line of linesOf(file.pipe(text))) {
      onRows(1);
      yield line;
    }
  } catch (error) {
    throw faultOf(error, path);
  } finally {
    file.destroy();
  }
}

function faultOf(error: unknown, path: string): unknown {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "Z_BUF_ERROR") return new BackupError(`the backup ${path} is incomplete: the file is cut off`);
  if (code.startsWith("Z_")) return new BackupError(`the file ${path} is no backup, or is damaged`);
  return error;
}

/** The lines of a backup's text, which comes in pieces. */
async function* linesOf(pieces: AsyncIterable<string> | Readable): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces as AsyncIterable<string>) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") throw new BackupError("the backup is incomplete: its last line is cut off");
}
