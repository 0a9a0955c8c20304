import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type pg from "pg";
import { DatabaseRefusal } from "./database-errors.ts";
import { inTransaction, type RawSql, type RunSql } from "./engine.ts";

const HERE = new URL("./migrations/", import.meta.url);

/**
 * Applies what is missing, in order, each migration in a transaction of its own; returns the names applied. A schema that is up to date is only
 * read, so that the role of a running process needs no right to change it.
 * @param auto false: refuses a schema that is too old instead of changing it.
 * @throws SchemaError
 */
export async function migrate(raw: RawSql, folder: URL = HERE, auto = true): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const state = await readSchemaState(raw.executeSql, migrations);
  refuseIncompatible(state);
  if (!auto) refuseMissing(state);
  if (state.missing.length === 0) return [];
  return raw.alone(async (run) => {
    // Another process may have applied them meanwhile, and newer ones.
    const { missing, ...current } = await readSchemaState(run, migrations);
    refuseIncompatible({ missing, ...current });
    if (missing.length > 0) await prepare(run);
    for (const migration of missing) await inTransaction(run, () => applyWithin(run, migration));
    return missing.map((migration) => migration.name);
  });
}

/** Compares the schema of the database with the migrations of this version; changes nothing. */
export async function checkSchema(raw: Pick<RawSql, "executeSql">, folder: URL = HERE): Promise<SchemaState> {
  return readSchemaState(raw.executeSql, await readMigrations(folder));
}

/** Returns the number of the last migration that was applied, such as `013`. */
export async function schemaVersion(raw: RawSql): Promise<string> {
  const { rows } = await raw.executeSql("select max(left(name, 3)) as version from shiftpact.migrations");
  return rows[0]?.version ?? "";
}

/** Returns the number of the last migration of this version. */
export async function knownVersion(): Promise<string> {
  return numberOf((await readNames(HERE)).at(-1) ?? "000");
}

const readNames = async (folder: URL): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /^\d{3}-.+$/.test(name)).sort();

/** Reads each migration of the folder: a file, or a folder of files that are run as one, in order. */
export async function readMigrations(folder: URL = HERE): Promise<Migration[]> {
  return Promise.all(
    (await readNames(folder)).map(async (name) => {
      const sql = await readSql(new URL(name, folder));
      const worksWith = /^-- works with: (\d{3})\n/.exec(sql)?.[1];
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex"), worksWith };
    }),
  );
}

async function readSql(path: URL): Promise<string> {
  if (path.pathname.endsWith(".sql")) return readFile(path, "utf8");
  const files = (await readdir(path)).filter((name) => name.endsWith(".sql")).sort();
  const parts = await Promise.all(files.map((name) => readFile(new URL(`${path.href}/${name}`), "utf8")));
  return parts.join("\n");
}

/** Orders suggestions, and nothing else needs it: a server may not have it, or the role no right to create it. */
const TRIGRAMS = `do $$ begin
  create extension if not exists pg_trgm with schema shiftpact;
exception when others then null; end $$`;

export const MIGRATIONS_TABLE = `create table shiftpact.migrations (
  name text primary key, checksum text not null, applied_at timestamptz not null default now(), works_with text)`;

/**
 * The table that records the migrations is not created by one. Only what is missing is made: `if not exists` needs the right to create a
 * schema although there is one.
 */
async function prepare(run: RunSql): Promise<void> {
  const { rows } = await run(`select to_regnamespace('shiftpact') is not null as "hasSchema",
    to_regclass('shiftpact.migrations') is not null as "hasTable"`);
  const { hasSchema, hasTable } = rows[0];
  if (!hasSchema) await run("create schema shiftpact");
  await run(TRIGRAMS);
  if (!hasTable) await run(MIGRATIONS_TABLE);
}

async function applyWithin(run: RunSql, { name, sql, checksum, worksWith }: Migration): Promise<void> {
  try {
    await run("set local search_path to shiftpact");
    await run(sql);
    await run("insert into shiftpact.migrations (name, checksum, works_with) values ($1, $2, $3)", [
      name,
      checksum,
      worksWith ?? null,
    ]);
  } catch (error) {
    throw new Error(`migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

const SQL = new URL("./distribute.sql", import.meta.url);

/** Whether the database has the extension citus. */
export async function hasCitus(newClient: () => pg.Client): Promise<boolean> {
  const client = newClient();
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query("select 1 from pg_extension where extname = 'citus'");
    return rows.length > 0;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Distributes the tables of a migrated database by organisation, with what they hold. Returns false when they are distributed already.
 * @throws DatabaseRefusal
 */
export async function distribute(raw: RawSql): Promise<boolean> {
  const statements = await readFile(SQL, "utf8");
  return raw.alone(async (run) => {
    await requireWorkers(run);
    const { rows } = await run(
      "select 1 from pg_dist_partition where logicalrelid = 'shiftpact.integrations'::regclass and partmethod = 'h'",
    );
    if (rows.length > 0) return false;
    await inTransaction(run, () => run(statements));
    return true;
  });
}

async function requireWorkers(run: RunSql): Promise<void> {
  const { rows: found } = await run("select 1 from pg_extension where extname = 'citus'");
  if (found.length === 0)
    throw refusal(
      "the database has no extension citus: create it in this database on the coordinator and on each worker",
    );
  const { rows } = await run("select 1 from pg_dist_node where shouldhaveshards");
  if (rows.length === 0)
    throw refusal("no node of Citus may hold shards: add each worker with citus_add_node on the coordinator");
}

const refusal = (message: string) => new DatabaseRefusal(message, { isFinal: true });

/** A migration that this version of the platform knows. */
export interface Migration {
  name: string;
  sql: string;
  checksum: string;
  /** The oldest schema whose processes keep working on this one, such as `013`; unset: none but its own. */
  worksWith: string | undefined;
}

/** The schema of a database, compared with the migrations of this process. */
export interface SchemaState {
  /** The number of the last migration that this process knows. */
  known: string;
  /** The number of the last migration that was applied; empty: none was. */
  version: string;
  missing: readonly Migration[];
  /** Of the migrations that this process does not know, the last one that excludes it. */
  incompatible: { name: string; worksWith: string | undefined } | undefined;
}

/** The schema of the database does not fit this process. One line. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

const numberOf = (name: string): string => name.slice(0, 3);

interface Applied {
  name: string;
  checksum: string;
  works_with: string | null;
}

const READ = "select name, checksum, works_with from shiftpact.migrations";

const UNRELEASED = "until the first release, the schema itself is edited and no older one is migrated";

/**
 * Reads the state of the schema; needs no right but to read.
 * @throws SchemaError when the database is of another commit before the first release
 * @throws Error when an applied migration was changed
 */
async function readSchemaState(run: RunSql, migrations: readonly Migration[]): Promise<SchemaState> {
  const { rows: found } = await run("select to_regclass('shiftpact.migrations') is not null as is_there");
  const applied: Applied[] = found[0]?.is_there ? (await run(READ)).rows : [];
  if (isOfAnotherCommit(applied, migrations))
    throw new SchemaError(
      `the schema of the database is that of another commit: ${UNRELEASED}; ` +
        "start on an empty database or data folder, or with the commit that made this one",
    );
  const byName = new Map(applied.map((row) => [row.name, row]));
  const known = numberOf(migrations.at(-1)?.name ?? "000");
  const excluding = applied
    .filter(({ name, works_with }) => numberOf(name) > known && (works_with ?? numberOf(name)) > known)
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .at(-1);
  return {
    known,
    version: numberOf(
      applied
        .map(({ name }) => name)
        .sort()
        .at(-1) ?? "",
    ),
    missing: migrations.filter((migration) => !isApplied(migration, byName.get(migration.name)?.checksum)),
    incompatible: excluding && { name: excluding.name, worksWith: excluding.works_with ?? undefined },
  };
}

/** Whether what was applied does not begin with the schema that these migrations begin with. */
function isOfAnotherCommit(
  applied: readonly Pick<Applied, "name" | "checksum">[],
  [schema]: readonly Migration[],
): boolean {
  const { checksum } = applied.find(({ name }) => name === schema?.name) ?? {};
  return applied.length > 0 && checksum !== schema?.checksum;
}

function isApplied(migration: Migration, checksum: string | undefined): boolean {
  if (checksum !== undefined && checksum !== migration.checksum) {
    throw new Error(
      `migration ${migration.name} was changed after it was applied to this database: ` +
        "restore the file and put the change into a new migration",
    );
  }
  return checksum !== undefined;
}

/** @throws SchemaError when the schema was changed in a way that this process cannot work with. */
function refuseIncompatible({ incompatible, known }: SchemaState): void {
  if (!incompatible) return;
  const { name, worksWith = numberOf(name) } = incompatible;
  throw new SchemaError(
    `the schema of the database is newer than this version: migration ${name} works with versions from schema ${worksWith} on, ` +
      `this one knows ${known}; start a newer version`,
  );
}

/** @throws SchemaError when migrations are missing. */
function refuseMissing({ missing, version }: SchemaState): void {
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(", ");
  throw new SchemaError(
    `the schema of the database is ${version ? `at ${version}` : "missing"} and AUTO_MIGRATE is 0: ` +
      `run \`shiftpact migrate\`, which applies ${names}`,
  );
}
