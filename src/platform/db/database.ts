import { connectorOf } from "./connect.ts";
import type { Database, Log, OnQuery } from "./engine.ts";
import { migrate } from "./migrate.ts";
import { refuseMoved } from "./moved.ts";
import { openPglite } from "./pglite.ts";
import { refuseTransactionPooler } from "./pooler.ts";
import { openPostgres } from "./postgres.ts";
import { refuseUnfinishedRestore } from "./unfinished-restore.ts";

export type { Database, Engine, Log, OnQuery } from "./engine.ts";

export interface OpenOptions {
  /** A PostgreSQL connection URL. Unset: embedded, in `dataDir`. */
  url?: string | undefined;
  /** The setting or flag that `url` comes from: DATABASE_URL unless given. */
  urlName?: string | undefined;
  /** Reaches PostgreSQL without the pooler, in transaction mode, that `url` leads to. */
  directUrl?: string | undefined;
  /** The most connections for work: 20 unless given. */
  connections?: number | undefined;
  dataDir?: string | undefined;
  /** False: refuses a schema that is too old instead of migrating it. */
  autoMigrate?: boolean | undefined;
  log: Log;
  onQuery?: OnQuery | undefined;
}

/**
 * Opens the database that `url` names, or the embedded one in `dataDir`, and brings its tables up to date.
 * Rejects with one clear line when the folder is in use, or an applied migration was changed. @throws SchemaError
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const { url, dataDir, log, autoMigrate } = options;
  if (!url) refuseMoved(requireFolder(dataDir));
  const database = await openUnmigrated(options);
  try {
    const applied = await migrate(database.raw, undefined, autoMigrate);
    if (applied.length > 0) log.info({ applied, engine: database.engine }, "migrated the database");
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens it without a change to its tables, which may be missing. */
export async function openUnmigrated(options: OpenOptions): Promise<Database> {
  const { url, urlName = "DATABASE_URL", directUrl, connections, dataDir, log, onQuery } = options;
  if (!url) {
    const folder = requireFolder(dataDir);
    refuseUnfinishedRestore(folder);
    return closingOnce(await openPglite(folder, log, { onQuery }));
  }
  const [name, checked] = directUrl ? ["DIRECT_DATABASE_URL", directUrl] : [urlName, url];
  await refuseTransactionPooler(name, connectorOf(checked).newClient);
  return closingOnce(openPostgres(url, log, { directUrl, connections, onQuery }));
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
