import { existsSync } from "node:fs";
import { join } from "node:path";
import { BackupError } from "../platform/backup/format.ts";
import { isMoveUnfinished, type Moved, move as moveTo } from "../platform/backup/move.ts";
import { readConfig } from "../platform/config.ts";
import { type Database, type Log, openDatabase, openUnmigrated } from "../platform/db/database.ts";
import { faultOfUrl } from "../platform/db/database-url.ts";
import { FolderInUse } from "../platform/db/folder-lock.ts";
import { isMarkedAsMovedTo, markMoved } from "../platform/db/moved.ts";
import { dataDirOf, readEnvironment } from "../platform/environment.ts";
import { createVault } from "../platform/integrations/vault.ts";
import { keptSecrets } from "../platform/kept-secrets.ts";
import { createLog } from "../platform/log.ts";
import { startPlatform } from "../platform/main.ts";
import { reportFailure } from "./command-failure.ts";
import { existingDatabase } from "./existing-database.ts";
import type { Io } from "./io.ts";
import { readFlags, UsageError } from "./usage.ts";
import { webPages } from "./web-pages.ts";

const HELP = `shiftpact move --to URL: moves an embedded database to PostgreSQL.

  --to URL     postgres://...: an empty database
  --data DIR   SHIFTPACT_DATA or .shiftpact unless given
  --port N     PORT or 3000 unless given; 0: any free one

Stop the platform and run this in its place, with the same settings. While it copies, it answers reads on the port, and refuses writes
and webhooks with 503 and Retry-After, so that providers send them again. It compares every table on both sides, marks the data folder
as moved, and ends. Then start the platform with DATABASE_URL and the same SECRET_KEY and OPERATIONS_TOKEN.
An interrupted move continues when you run it again, with the tables that it had not copied. Until it has finished, no platform starts on
that PostgreSQL database. Until the folder is marked, just before the end, it still starts on the folder, and what it changes there is
copied too.

Example:
  shiftpact move --to postgres://localhost/shiftpact --data ./data`;

/** Returns the exit code: 0 moved and verified; 1 the move failed; 2 unusable flags or values. */
export async function move(argv: string[], io: Io): Promise<number> {
  try {
    const { values } = readFlags({
      args: argv,
      options: {
        to: { type: "string" },
        data: { type: "string" },
        port: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help) {
      io.stdout(HELP);
      return 0;
    }
    if (values.to === undefined) throw new UsageError("--to URL is required (see --help)");
    const fault = faultOfUrl("--to", values.to, io.env);
    if (fault !== undefined) throw new UsageError(fault);
    await run(io, { url: values.to, data: values.data, port: values.port });
    return 0;
  } catch (error) {
    return reportFailure("move", error, io);
  }
}

interface Request {
  url: string;
  data: string | undefined;
  port: string | undefined;
}

async function run(io: Io, { url, data, port }: Request): Promise<void> {
  const env: NodeJS.ProcessEnv = {
    ...readEnvironment(io.env),
    // The reads are served from the folder.
    ...{ DATABASE_URL: undefined, DIRECT_DATABASE_URL: undefined },
    ...(port !== undefined && { PORT: port }),
  };
  const dataDir = dataDirOf(env, data);
  const folder = existingDatabase(dataDir);
  // A newly created key would decrypt nothing.
  if (keptSecrets(env, dataDir).secretKeys === undefined)
    throw new BackupError("SECRET_KEY is required: the one that the platform uses");
  const config = readConfig(env, { dataDir });
  const log = createLog(config.logLevel);
  const source = await openSource(folder, { url, log }).catch(refuseInUse);
  try {
    const reads = await startPlatform(config, { database: source, log, pages: webPages(), readOnly: true });
    try {
      io.stdout(JSON.stringify({ listening: true, port: reads.port }));
      const begun = performance.now();
      const moved = await moveTo({
        source,
        url,
        vault: createVault(config.secretKey, config.olderSecretKeys),
        log,
        markMoved: () => markMoved(folder, url),
        onTable: occasionally(({ tables, rows }) => io.stderr(`${tables} tables are copied, ${rows} rows`)),
      });
      report(io, moved, dataDir, (performance.now() - begun) / 1000);
    } finally {
      await reads.close();
    }
  } finally {
    await source.close();
  }
}

/** Opens a folder that is marked as moved only to finish that move, and does not migrate it: the copy would differ. */
async function openSource(folder: string, to: { url: string; log: Log }): Promise<Database> {
  const isToFinish = isMarkedAsMovedTo(folder, to.url) && (await isMoveUnfinished(to));
  return (isToFinish ? openUnmigrated : openDatabase)({ dataDir: folder, log: to.log });
}

function refuseInUse(error: unknown): never {
  if (!(error instanceof FolderInUse)) throw error;
  throw new BackupError(`${error.message}: stop the platform, and run the move in its place`);
}

const PROGRESS_MS = 10_000;

/** Calls `show` at most every ten seconds, and not within the first ten. */
function occasionally<T>(show: (value: T) => void): (value: T) => void {
  let shownAt = performance.now();
  return (value) => {
    if (performance.now() - shownAt < PROGRESS_MS) return;
    shownAt = performance.now();
    show(value);
  };
}

function report(io: Io, { tables, rows, rowsThere }: Moved, dataDir: string, seconds: number): void {
  const part =
    rowsThere > 0 ? `are moved, of which ${rowsThere} by a move that was interrupted` : "are moved";
  const how = rowsThere === rows ? "were moved before" : part;
  io.stdout(
    `${rows} rows of ${tables} tables ${how}, in ${seconds.toFixed(1)} s; the counts and checksums of each table match`,
  );
  io.stdout(`${dataDir} is marked as moved: the platform no longer starts on its database`);
  io.stdout("start the platform with DATABASE_URL, and with the same SECRET_KEY and OPERATIONS_TOKEN:");
  for (const name of ["secret-key", "operations-token"])
    if (existsSync(join(dataDir, name))) io.stdout(`  ${join(dataDir, name)}`);
}
