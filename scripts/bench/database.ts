import { pino } from "pino";
import type { Database } from "../../src/platform/db/database.ts";
import { openPostgres } from "../../src/platform/db/postgres/postgres.ts";
import type { Store } from "./organisations.ts";

export const log = pino({ level: "silent" });

/** Statements about a whole table take minutes. */
const SILENCE = { statementMs: 0, listenMs: 20_000 };

/** Runs SQL on the database of a platform, however long it takes; PostgreSQL only. */
export async function withDatabase<T>(store: Store, use: (database: Database) => Promise<T>): Promise<T> {
  if (!("databaseUrl" in store)) throw new TypeError("an embedded database has one process only");
  const database = openPostgres(store.databaseUrl, log, { silence: SILENCE });
  return use(database).finally(database.close);
}
