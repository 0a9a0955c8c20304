import { faultOfUrl } from "./db/database-url.ts";

/** Which database, and how it is used. */
export interface DatabaseConfig {
  /** PostgreSQL. Unset: embedded, in the data folder. */
  databaseUrl: string | undefined;
  /** Reaches PostgreSQL without the pooler in transaction mode that `databaseUrl` leads to. */
  directDatabaseUrl?: string;
  /** The most connections for work, beside those of the inbox and LISTEN: 20 unless given. */
  databasePool?: number;
  /** False: a schema that is too old stops the start; unset: it is migrated. */
  autoMigrate?: boolean;
}

const POOL = { least: 2, most: 1_000 };

type Env = Readonly<Record<string, string | undefined>>;

export function readDatabaseConfig(env: Env): DatabaseConfig {
  const { DIRECT_DATABASE_URL: directDatabaseUrl, DATABASE_POOL: pool } = env;
  return {
    databaseUrl: env.DATABASE_URL || undefined,
    ...(directDatabaseUrl && { directDatabaseUrl }),
    ...(pool && { databasePool: Number(pool) }),
    ...(env.AUTO_MIGRATE === "0" && { autoMigrate: false }),
  };
}

/** What is wrong with the settings of the database. No fault repeats a URL, which may hold a password. */
export function databaseFaults(env: Env): string[] {
  const { DATABASE_URL: url, DIRECT_DATABASE_URL: direct, DATABASE_POOL: pool, AUTO_MIGRATE: auto } = env;
  const faults = [
    url === "" &&
      "DATABASE_URL is empty: unset it for the embedded database, or give the URL of a PostgreSQL",
    url && faultOfUrl("DATABASE_URL", url, env),
    direct && faultOfUrl("DIRECT_DATABASE_URL", direct, env),
    direct && !url && "DIRECT_DATABASE_URL needs DATABASE_URL beside it",
    pool && !isPool(pool) && `DATABASE_POOL must be a whole number from ${POOL.least} to ${POOL.most}`,
    !["", "0", "1"].includes(auto ?? "") && "AUTO_MIGRATE must be 0 or 1",
  ];
  return faults.filter((fault) => typeof fault === "string" && fault !== "") as string[];
}

const isPool = (text: string): boolean =>
  /^\d{1,4}$/.test(text) && Number(text) >= POOL.least && Number(text) <= POOL.most;
