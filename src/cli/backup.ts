import { existsSync } from "node:fs";
import { join } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { makeFile, readLines, writeBackup } from "../platform/backup/file.ts";
import { BackupError } from "../platform/backup/format.ts";
import { type Inspected, inspect } from "../platform/backup/inspect.ts";
import { requireKeys } from "../platform/backup/restore.ts";
import { openConfigured } from "../platform/configured-database.ts";
import { readDatabaseConfig } from "../platform/database-config.ts";
import { openUnmigrated } from "../platform/db/database.ts";
import { FolderInUse } from "../platform/db/folder-lock.ts";
import type { Vault } from "../platform/deps.ts";
import { dataDirOf, readEnvironment } from "../platform/environment.ts";
import { keptToken, keptVault } from "../platform/kept-secrets.ts";
import { createLog } from "../platform/log.ts";
import type { Env } from "../platform/setting-kinds.ts";
import { settingOf } from "../platform/settings.ts";
import { reportFailure } from "./command-failure.ts";
import { existingDatabase } from "./existing-database.ts";
import type { Io } from "./io.ts";
import { rowProgress } from "./row-progress.ts";
import { platformUrlFlag, readFlags, UsageError, uuidFlag } from "./usage.ts";

const HELP = `shiftpact backup FILE: writes everything that the platform has stored to one file, while the platform runs.

  --data DIR   SHIFTPACT_DATA or .shiftpact unless given
  --url URL    reads from the platform that runs there; it needs OPERATIONS_TOKEN, or the one in the data folder
  --force      replaces FILE
  --organisation PROVIDER_ID
               writes one organisation, which must be suspended, to be added to the database of another platform
               (shiftpact restore --organisation): its rows, its people, and the competences and workplaces that it names

With DATABASE_URL it reads PostgreSQL itself; behind a pooler in transaction mode, give DIRECT_DATABASE_URL beside it. Without, it reads the embedded database in the data folder, or, while a platform uses
that, asks this platform, at --url or http://127.0.0.1:PORT (PORT: 3000 unless set).
An organisation of an embedded database is written while no platform uses that.
The file is compressed, and encrypted with a key that is derived from SECRET_KEY, the first of SECRET_KEYS, or secret-key in the data folder. It
does not hold that, and cannot be restored without.

Exit code 0: written, and read back if SECRET_KEY is given here; 1: it failed, or the organisation cannot be moved; 2: flags or settings that cannot be used.

Examples:
  shiftpact backup monday.shiftpact --data ./data
  DATABASE_URL=postgres://localhost/one SECRET_KEY=... shiftpact backup moved.shiftpact --organisation 5b0f7e0a-9a3d-4a53-8a37-4a2b0b6f4a11
  DATABASE_URL=postgres://localhost/shiftpact SECRET_KEY=... shiftpact backup monday.shiftpact`;

/** Returns the exit code: 0 written; 1 the backup failed; 2 unusable flags or settings. */
export async function backup(argv: string[], io: Io): Promise<number> {
  try {
    const { values, positionals } = readFlags({
      args: argv,
      options: {
        data: { type: "string" },
        url: { type: "string" },
        force: { type: "boolean", default: false },
        organisation: { type: "string" },
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
    const dataDir = dataDirOf(env, values.data);
    const begun = performance.now();
    // The data folder is not that of a database at DATABASE_URL.
    const vault = keptVault(env, env.DATABASE_URL ? undefined : dataDir);
    const source = sourceOf(io, env, dataDir, {
      url: platformUrlFlag(values.url),
      providerId: organisationFlag(values),
      vault,
    });
    let read: Inspected | undefined;
    const check = async (draft: string) => {
      if (vault) read = await inspect(readLines(draft, vault));
    };
    await makeFile(file, values.force, { write: source, check });
    report(io, env, { file, dataDir, read, seconds: (performance.now() - begun) / 1000 });
    return 0;
  } catch (error) {
    return reportFailure("backup", error, io);
  }
}

/** @throws UsageError */
function organisationFlag({ organisation, url }: { organisation?: string; url?: string }) {
  if (organisation === undefined) return undefined;
  if (url !== undefined)
    throw new UsageError("--organisation reads the database itself: give DATABASE_URL or --data, not --url");
  return uuidFlag("organisation", organisation).toLowerCase();
}

interface Wanted {
  url: string | undefined;
  /** Of the one organisation that is wanted. */
  providerId: string | undefined;
  vault: Vault | undefined;
}

function sourceOf(io: Io, env: Env, dataDir: string, { url, providerId, vault }: Wanted) {
  const log = createLog(env.LOG_LEVEL || "warn");
  const fromPlatform = (sink: Writable) =>
    download(url ?? `http://127.0.0.1:${settingOf(env, "PORT")}`, keptToken(env, dataDir), sink);
  return async (sink: Writable) => {
    if (url !== undefined) return fromPlatform(sink);
    const database = await open(env, dataDir, log).catch((error) => {
      if (error instanceof FolderInUse && providerId === undefined) return undefined;
      throw error;
    });
    if (!database) return fromPlatform(sink);
    const options = { providerId, onRows: rowProgress(io, "read") };
    const write = async () => {
      if (!vault)
        throw new BackupError(
          "SECRET_KEY is required, 32 bytes in base64: the one of the platform, with which the backup is encrypted",
        );
      await requireKeys(database.raw.executeSql, vault);
      await writeBackup(database, vault, sink, options);
    };
    await write().finally(database.close);
  };
}

async function open(env: Env, dataDir: string, log: ReturnType<typeof createLog>) {
  const config = readDatabaseConfig(env);
  if (!config.databaseUrl) existingDatabase(dataDir);
  return openConfigured({ ...config, dataDir }, log, openUnmigrated);
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

interface Report {
  file: string;
  dataDir: string;
  /** Unset: the file could not be read back. */
  read: Inspected | undefined;
  seconds: number;
}

function report(io: Io, env: Env, { file, dataDir, read, seconds }: Report): void {
  const time = `in ${seconds.toFixed(1)} s`;
  io.stdout(
    read
      ? `${file}: ${subjectOf(read.header)}${read.rows} rows of ${read.header.tables.length} tables as of ${read.header.takenAt}, ${time}; read back and verified`
      : `${file}: complete as the platform sent it, ${time}; not read back, as SECRET_KEY is not given here`,
  );
  if (read?.header.organisation)
    io.stdout("do not activate it here again: the file is behind this database from then on");
  const isSet = env.DATABASE_URL || env.SECRET_KEY || env.SECRET_KEYS;
  const isKept = !isSet && existsSync(join(dataDir, "secret-key"));
  const where = isKept ? `in ${join(dataDir, "secret-key")}` : "where you set it";
  io.stdout(`SECRET_KEY is not in it: keep a copy of the one ${where}, or the backup cannot be restored`);
  if (read?.header.organisation) return;
  io.stdout("OPERATIONS_TOKEN is not in it either; a new one may be set at any time");
}

const subjectOf = ({ organisation }: Inspected["header"]) =>
  organisation ? `organisation ${organisation.providerId}, ` : "";
