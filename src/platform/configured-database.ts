import { join } from "node:path";
import type { DatabaseConfig } from "./database-config.ts";
import { type Database, type Log, type OnQuery, openDatabase } from "./db/database.ts";

type Place = DatabaseConfig & { dataDir: string };

/**
 * Opens the database of the settings. Rejects with one clear line when it cannot be used.
 * @param open `openUnmigrated` leaves the schema alone.
 */
export async function openConfigured(
  { databaseUrl: url, directDatabaseUrl: directUrl, databasePool: connections, autoMigrate, dataDir }: Place,
  log: Log,
  open: typeof openDatabase = openDatabase,
  onQuery?: OnQuery,
): Promise<Database> {
  if (!url) return open({ dataDir: join(dataDir, "database"), autoMigrate, log, onQuery });
  return open({ url, directUrl, connections, autoMigrate, log, onQuery }).catch(refuseToStart);
}

/** A host name with several addresses fails without a message. The URL is left out because it holds a password. */
function refuseToStart(error: unknown): never {
  const { message, code = "" } = error as NodeJS.ErrnoException;
  if (!code.startsWith("E")) throw error;
  throw new Error(`the database does not answer: ${message || code}`, { cause: error });
}
