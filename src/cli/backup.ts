import { randomBytes } from "node:crypto";
import { constants, existsSync, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { BackupError } from "../platform/backup/after-restore.ts";
import { openUnmigrated } from "../platform/db/database.ts";
import { FolderInUse, syncOne } from "../platform/db/pglite/folder.ts";
import { dataDirOf, readEnvironment } from "../platform/environment.ts";
import { keptToken } from "../platform/kept-secrets.ts";
import { createLog } from "../platform/log.ts";
import type { Env } from "../platform/setting-kinds.ts";
import { settingOf } from "../platform/settings.ts";
import { existingDatabase } from "./existing-database.ts";
import type { Io } from "./io.ts";
import { reportFailure } from "./run-command.ts";
import { platformUrlFlag, readFlags, UsageError } from "./usage.ts";

const HELP = `shiftpact backup FILE: writes the embedded database to one file, while the platform runs or is stopped.

  --data DIR   SHIFTPACT_DATA or .shiftpact unless given
  --url URL    reads from the platform that runs there; it needs OPERATIONS_TOKEN, or the one in the data folder
  --force      replaces FILE

It reads the database in the data folder or, while a platform uses that, asks this platform, at --url or http://127.0.0.1:PORT (PORT: 3000
unless set). FILE - is the standard output. The file is a compressed base backup of PostgreSQL, and plain: names and addresses can be read
in it. Encrypt it, with age for example. PostgreSQL is backed up with its own tools, such as pg_dump.

Exit code 0: written; 1: it failed; 2: flags or settings that cannot be used.

Examples:
  shiftpact backup monday.tar.gz --data ./data
  set -o pipefail; shiftpact backup - --data ./data | age -r age1... > monday.tar.gz.age`;

/** Returns the exit code: 0 written; 1 the backup failed; 2 unusable flags or settings. */
export async function backup(argv: string[], io: Io): Promise<number> {
  try {
    const { values, positionals } = readFlags({
      args: argv,
      options: {
        data: { type: "string" },
        url: { type: "string" },
        force: { type: "boolean", default: false },
        help: { type: "boolean", short: "h" },
      },
      allowPositionals: true,
    });
    if (values.help) {
      io.stdout(HELP);
      return 0;
    }
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError("name one FILE (see --help)");
    const env = readEnvironment(io.env, ["LOG_LEVEL", "PORT"]);
    if (env.DATABASE_URL)
      throw new UsageError(
        "DATABASE_URL is set: PostgreSQL is backed up with its own tools, such as pg_dump, see the guide for operators",
      );
    const dataDir = dataDirOf(env, values.data);
    const write = sourceOf(env, dataDir, platformUrlFlag(values.url));
    if (file === "-") await write(process.stdout);
    else await makeFile(file, values.force, write);
    const secretKey = join(dataDir, "secret-key");
    const where = !env.SECRET_KEY && existsSync(secretKey) ? `in ${secretKey}` : "where you set it";
    const print = file === "-" ? io.stderr : io.stdout;
    print(`${file}: complete; it is plain: encrypt it, and let it expire`);
    print(`SECRET_KEY is not in it: keep a copy of the one ${where}, or the backup cannot be used`);
    return 0;
  } catch (error) {
    return reportFailure("backup", error, io);
  }
}

/** What writes a backup of the data folder or, while a platform uses that, of this platform. */
function sourceOf(env: Env, dataDir: string, url: string | undefined) {
  const fromPlatform = (sink: Writable) =>
    download(url ?? `http://127.0.0.1:${settingOf(env, "PORT").port}`, keptToken(env, dataDir), sink);
  return async (sink: Writable) => {
    if (url !== undefined) return fromPlatform(sink);
    const folder = { dataDir: existingDatabase(dataDir), log: createLog(env.LOG_LEVEL || "warn") };
    const database = await openUnmigrated(folder).catch((error) => {
      if (error instanceof FolderInUse) return undefined;
      throw error;
    });
    if (!database) return fromPlatform(sink);
    await database.backUp?.(sink).finally(database.close);
  };
}

async function download(url: string, token: string | undefined, sink: Writable): Promise<void> {
  if (token === undefined)
    throw new BackupError("OPERATIONS_TOKEN is required for a backup through the running platform");
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(new URL("/operations/v1/backup", url), { headers }).catch((error) => {
    throw new BackupError(
      `the database is in use, and no platform responds at ${url}: name the platform that uses it with --url`,
      { cause: error },
    );
  });
  if (!response.ok || !response.body) {
    const problem = (await response.json().catch(() => ({}))) as { detail?: string };
    throw new BackupError(`the platform at ${url} refused: ${problem.detail ?? `status ${response.status}`}`);
  }
  await pipeline(Readable.fromWeb(response.body as ReadableStream), sink).catch((error) => {
    throw new BackupError("the platform ended the backup before it was complete: see its log", {
      cause: error,
    });
  });
}

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Makes the file `path` of what `write` writes into a draft. Only its owner may read it. Another user who may write into the folder, as into that of
 * temporary files, cannot have the draft follow a link or be a file of theirs.
 */
async function makeFile(
  path: string,
  isReplaced: boolean,
  write: (sink: Writable) => Promise<void>,
): Promise<void> {
  if (existsSync(path) && !isReplaced)
    throw new BackupError(`the file ${path} exists: choose another name, or replace it with --force`);
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString("hex")}.partial`);
  const file = await open(draft, NEW, 0o600);
  try {
    await write(file.createWriteStream({ flush: true }));
    renameSync(draft, path);
    syncOne(dirname(path));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
