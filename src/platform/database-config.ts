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
