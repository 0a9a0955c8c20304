import { explained } from "./database-errors.ts";
import { newClientOf } from "./database-url.ts";
import type { Database, Log } from "./engine.ts";
import { hasCitus, migrate } from "./migrate.ts";
import { refuseUnfinishedRestore } from "./pglite/folder.ts";
import { openPglite } from "./pglite/pglite.ts";
import { openPostgres } from "./postgres/postgres.ts";
import { checkServer, refuseReadOnly, refuseTransactionPooler } from "./postgres/server.ts";

export type { Database, Engine, Log } from "./engine.ts";

export interface OpenOptions {
  /** A PostgreSQL connection URL. Unset: embedded, in `dataDir`. */
  url?: string | undefined;
  /** Reaches PostgreSQL without the pooler, in transaction mode, that `url` leads to. */
  directUrl?: string | undefined;
  /** The most connections for work: 20 unless given. */
  connections?: number | undefined;
  dataDir?: string | undefined;
  /** False: refuses a schema that is too old instead of migrating it. */
  autoMigrate?: boolean | undefined;
  log: Log;
}

/**
 * Opens the database that `url` names, or the embedded one in `dataDir`, and brings its tables up to date.
 * Rejects with one clear line when it cannot be used, the folder is in use, or an applied migration was changed. @throws SchemaError
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const { url, log, autoMigrate } = options;
  const database = await openUnmigrated(options);
  return orClosed(database, options, async () => {
    const { raw, engine } = database;
    if (url) await refuseReadOnly(raw.executeSql, checkedUrl(url, options).setting);
    const applied = await migrate(raw, undefined, autoMigrate);
    if (applied.length > 0) log.info({ applied, engine }, "migrated the database");
  });
}

/** Opens it without a change to its tables, which may be missing. Rejects with one clear line when it cannot be used. */
export async function openUnmigrated(options: OpenOptions): Promise<Database> {
  const { url, dataDir, log } = options;
  if (url) return openServer(url, options);
  const folder = requireFolder(dataDir);
  refuseUnfinishedRestore(folder);
  return closingOnce(await openPglite(folder, log));
}

async function openServer(url: string, options: OpenOptions): Promise<Database> {
  const { directUrl, connections, log } = options;
  const { setting, checked } = checkedUrl(url, options);
  const explain = (error: unknown) => Promise.reject(explained(error, { setting, isConnecting: true }));
  const newClient = () => newClientOf(checked);
  await refuseTransactionPooler(setting, newClient).catch(explain);
  const isDistributed = await hasCitus(newClient).catch(explain);
  const database = closingOnce(openPostgres(url, log, { directUrl, connections, isDistributed }));
  await orClosed(database, options, () => checkServer(database.raw.executeSql, setting));
  return database;
}

/** The URL that leads to the server itself, and its setting. */
const checkedUrl = (url: string, { directUrl }: OpenOptions) =>
  directUrl
    ? { setting: "DIRECT_DATABASE_URL", checked: directUrl }
    : { setting: "DATABASE_URL", checked: url };

/** Returns the database once `work` is done; closes it, and says why in one line, if that fails. */
async function orClosed(
  database: Database,
  options: OpenOptions,
  work: () => Promise<void>,
): Promise<Database> {
  try {
    await work();
    return database;
  } catch (error) {
    await database.close();
    throw explained(error, { setting: checkedUrl("", options).setting });
  }
}

function closingOnce(database: Database): Database {
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= database.close();
    return closed;
  };
  return { ...database, close };
}

function requireFolder(dataDir: string | undefined): string {
  if (!dataDir) throw new Error("openDatabase needs a url or a dataDir");
  return dataDir;
}
