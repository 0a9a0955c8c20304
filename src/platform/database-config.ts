import { join } from "node:path";
import { type Database, type Log, openDatabase } from "./db/database.ts";
import type { Env } from "./setting-kinds.ts";
import { settingOf } from "./settings.ts";

/** Which database, and how it is used. */
export interface DatabaseConfig {
  /** PostgreSQL. Unset: embedded, in the data folder. */
  databaseUrl: string | undefined;
  /** Reaches PostgreSQL without the pooler in transaction mode that `databaseUrl` leads to. */
  directDatabaseUrl?: string;
  /** The most connections for work, beside those of the inbox and LISTEN. */
  databasePool?: number;
  /** False: a schema that is too old stops the start. */
  autoMigrate?: boolean;
}

export function readDatabaseConfig(env: Env): DatabaseConfig {
  const directDatabaseUrl = settingOf(env, "DIRECT_DATABASE_URL");
  return {
    databaseUrl: settingOf(env, "DATABASE_URL"),
    ...(directDatabaseUrl && { directDatabaseUrl }),
    databasePool: settingOf(env, "DATABASE_POOL"),
    autoMigrate: settingOf(env, "AUTO_MIGRATE"),
  };
}

type Place = DatabaseConfig & { dataDir: string };

/**
 * Opens the database of the settings. Rejects with one clear line when it cannot be used.
 * @param open `openUnmigrated` leaves the schema alone.
 */
export async function openConfigured(
  { databaseUrl: url, directDatabaseUrl: directUrl, databasePool: connections, autoMigrate, dataDir }: Place,
  log: Log,
  open: typeof openDatabase = openDatabase,
): Promise<Database> {
  const where = url ? { url, directUrl, connections } : { dataDir: join(dataDir, "database") };
  return open({ ...where, autoMigrate, log });
}
