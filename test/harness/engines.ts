import { randomUUID } from "node:crypto";
import { cpSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, inject } from "vitest";
import { type Database, type Engine, openDatabase } from "../../src/platform/db/database.ts";
import { copyCitus } from "./citus.ts";
import { TEMPLATE } from "./global-setup.ts";
import { onServer } from "./on-server.ts";

export const engines: readonly Engine[] = ["pglite", "postgres"];

/**
 * The engines on which features are tested; storage is tested on both: the tables, the queue, the inbox, the platform as a whole, chaos.
 * ENGINES=all tests features and flows on both, ENGINES=pglite on the one that `npm test` leaves out.
 */
export const featureEngines: readonly Engine[] = enginesOf(process.env.ENGINES);

function enginesOf(choice = "postgres"): readonly Engine[] {
  const chosen = choice === "all" ? engines : engines.filter((engine) => engine === choice);
  if (chosen.length === 0) throw new Error(`ENGINES must be all, pglite or postgres, not ${choice}`);
  return chosen;
}
export const silent = pino({ level: "silent" });

export interface TestDatabase extends Database {
  /** To open the same database again, after or (PostgreSQL) beside this one. */
  where: { url?: string; dataDir?: string };
  /** Closes the database and removes it. Safe to call after `close`. */
  drop(): Promise<void>;
}

/** A migrated, empty database of its own. */
export async function startEngine(engine: Engine): Promise<TestDatabase> {
  const { where, remove } = await (engine === "pglite" ? copyFolder() : copyDatabase());
  const database = await openDatabase({ ...where, log: silent });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= database.close();
    return closed;
  };
  return { ...database, where, close, drop: () => close().then(remove) };
}

/**
 * One database for the whole `describe` around the call, empty before each test: a database of its own costs a second.
 * It is emptied when every hook of the test before has run, so that no platform still writes to it.
 */
export function useEngine(engine: Engine): () => TestDatabase {
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await startEngine(engine);
  });
  beforeEach(() => database && empty(database));
  afterAll(() => database?.drop());
  return () => {
    if (!database) throw new Error("the database is started before the first test, not before");
    return database;
  };
}

/** Deletes every row. A table without rows is left alone: to truncate one takes milliseconds. */
async function empty({ raw }: Pick<Database, "raw">): Promise<void> {
  const { rows: tables } = await raw.executeSql(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'shiftpact' and tablename <> 'migrations'",
  );
  const looks = tables.map(
    ({ name }) => `select 'shiftpact.${name}' as name where exists (select 1 from shiftpact.${name})`,
  );
  const { rows: used } = await raw.executeSql(looks.join(" union all "));
  const names = used.map(({ name }) => name).join(", ");
  const truncate = names && `truncate ${names} restart identity cascade;`;
  if (truncate) await raw.executeSql(truncate);
}

/** Runs `use` on a database of its own and removes that afterwards. */
export async function withEngine<T>(engine: Engine, use: (database: TestDatabase) => Promise<T>): Promise<T> {
  const database = await startEngine(engine);
  try {
    return await use(database);
  } finally {
    await database.drop();
  }
}

/** A folder of its own with an embedded database, closed. */
export async function copyFolder() {
  // Beside the template, so that the end of the run removes it even after a test that broke off.
  const dataDir = await mkdtemp(join(dirname(inject("pgliteTemplate")), "copy-"));
  // A thousand small files: several times as fast as the asynchronous cp.
  cpSync(inject("pgliteTemplate"), dataDir, { recursive: true });
  return { where: { dataDir }, remove: () => rm(dataDir, { recursive: true, force: true }) };
}

/** A PostgreSQL database of its own, on Citus where CITUS_URL is given; `empty` has no tables yet, and is on one server. `options`: of `create database`, for one without tables. */
export async function copyDatabase({ empty = false, options }: { empty?: boolean; options?: string } = {}) {
  const server = inject("postgresServer");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const citus = inject("citus");
  if (citus && !empty && !options) return copyCitus(citus, name);
  await onServer(
    server,
    `create database ${name} ${options ?? `template ${empty ? "template0" : TEMPLATE}`}`,
  );
  return {
    where: { url: `${server}/${name}` },
    remove: () => onServer(server, `drop database ${name} with (force)`),
  };
}
