import { randomBytes } from "node:crypto";
import { constants, existsSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline as connect, Readable, type Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { counted } from "../../contract/operator-text/phrases.ts";
import type { Database, RunSql } from "../db/engine.ts";
import { countProcesses } from "../db/processes.ts";
import { syncOne } from "../db/sync.ts";
import type { Vault } from "../deps.ts";
import { type DumpOptions, dump } from "./dump.ts";
import { decrypted, encrypted } from "./encrypted.ts";
import { BackupError } from "./format.ts";

/** The database is faster than any better compression. */
const LEVEL = 1;
/** More than the longest row: a response of a provider, of which a row holds parts, has at most 1 MB. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * Writes a backup of the database, or of one organisation, as it is now: compressed, then encrypted. Rejects with BackupError, and writes nothing,
 * when a platform works on a distributed database: its servers have no moment in common.
 */
export async function writeBackup(
  { raw, isDistributed }: Pick<Database, "raw" | "isDistributed">,
  vault: Vault,
  sink: Writable,
  options?: DumpOptions,
): Promise<void> {
  if (isDistributed && options?.providerId === undefined) await requireStopped(raw.executeSql);
  const encrypt = (pieces: AsyncIterable<Buffer>) => encrypted(pieces, vault);
  const written = (run: RunSql) =>
    pipeline(dump(run, options), createGzip({ level: LEVEL }), encrypt, sink, { end: false });
  await raw.snapshot(written);
  // Who has read its end may ask for another one: the embedded database makes one at a time.
  sink.end();
  await finished(sink);
}

async function requireStopped(run: RunSql): Promise<void> {
  const count = await countProcesses(run);
  if (count > 0)
    throw new BackupError(
      `${counted(count, "platform process", "platform processes")} on this distributed database, whose servers are each read at a moment of their own: ` +
        "stop the platform, and repeat the command 15 s later; an organisation that is suspended may be exported meanwhile, with --organisation",
    );
}

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Makes the file `path` of what `write` writes into a draft, once `check` has accepted that. Only its owner may read it. Another user who may write
 * into the folder, as into that of temporary files, cannot have the draft follow a link or be a file of theirs.
 */
export async function makeFile(
  path: string,
  isReplaced: boolean,
  { write, check }: { write: (sink: Writable) => Promise<void>; check: (draft: string) => Promise<void> },
): Promise<void> {
  if (existsSync(path) && !isReplaced)
    throw new BackupError(`the file ${path} exists: choose another name, or replace it with --force`);
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString("hex")}.partial`);
  const file = await open(draft, NEW, 0o600);
  try {
    await write(file.createWriteStream({ flush: true }));
    await check(draft);
    renameSync(draft, path);
    syncOne(dirname(path));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** The lines of a backup file, as they are read. `onRows` is called with the number of lines that were. */
export async function* readLines(
  path: string,
  vault: Vault,
  onRows: (rows: number) => void = () => undefined,
): AsyncGenerator<string> {
  const file = await open(path);
  const text = createGunzip();
  try {
    // The loop below has its errors.
    connect(Readable.from(decrypted(piecesOf(file), vault)), text, () => undefined);
    for await (const line of linesOf(text)) {
      onRows(1);
      yield line;
    }
  } catch (error) {
    throw faultOf(error);
  } finally {
    text.destroy();
    await file.close();
  }
}

const piecesOf = (file: FileHandle): AsyncIterable<Buffer> => file.createReadStream({ autoClose: false });

/** Its content is authenticated when it is unpacked. */
function faultOf(error: unknown): unknown {
  const { code = "" } = error as NodeJS.ErrnoException;
  return code.startsWith("Z_") ? new BackupError("the backup is damaged: it cannot be unpacked") : error;
}

/** The lines of a backup's text, which comes in pieces. */
async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(0x0a); end !== -1; end = piece.indexOf(0x0a, from)) {
      const last = piece.subarray(from, end);
      yield (parts.length > 0 ? Buffer.concat([...parts, last]) : last).toString();
      [parts, length, from] = [[], 0, end + 1];
    }
    parts.push(piece.subarray(from));
    length += piece.byteLength - from;
    if (length > LONGEST_LINE)
      throw new BackupError(
        `the backup is damaged: it has a line of more than ${LONGEST_LINE / 1024 / 1024} MB, which no row is`,
      );
  }
  if (length > 0) throw new BackupError("the backup is incomplete: its last line is cut off");
}
