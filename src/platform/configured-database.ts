import { join } from "node:path";
import type { DatabaseConfig } from "./database-config.ts";
import { type Database, type Log, openDatabase } from "./db/database.ts";

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
