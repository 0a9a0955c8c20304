import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { inTransaction, type RawSql, type RunSql } from "./engine.ts";
import {
  type Migration,
  numberOf,
  readSchemaState,
  refuseIncompatible,
  refuseMissing,
  type SchemaState,
} from "./schema-version.ts";

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
