import type { Database, Log } from "./engine.ts";
import { migrate } from "./migrate.ts";
import { refuseMoved } from "./moved.ts";
import { openPglite } from "./pglite.ts";
import { openPostgres } from "./postgres.ts";

export type { Database, Engine, Log } from "./engine.ts";

export interface OpenOptions {
  /** A PostgreSQL connection URL. Unset: embedded, in `dataDir`. */
  url?: string | undefined;
  dataDir?: string | undefined;
  log: Log;
}

/**
 * Opens the database that `url` names, or the embedded one in `dataDir`, and brings its tables up to date.
 * Rejects with one clear line when the folder is in use, or an applied migration was changed.
 */
export async function openDatabase({ url, dataDir, log }: OpenOptions): Promise<Database> {
  if (!url) refuseMoved(requireFolder(dataDir));
  const database = await openAsIs({ url, dataDir, log });
  try {
    const applied = await migrate(database.raw);
    if (applied.length > 0) log.info({ applied, engine: database.engine }, "migrated the database");
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens the database without a change to its tables, which may be missing. */
export async function openAsIs({ url, dataDir, log }: OpenOptions): Promise<Database> {
  const database = url ? openPostgres(url, log) : await openPglite(requireFolder(dataDir), log);
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
