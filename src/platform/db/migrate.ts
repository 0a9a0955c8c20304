import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { RawSql, RunSql } from "./engine.ts";

const HERE = new URL("./migrations/", import.meta.url);

export interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** Applies what is missing, in order, each file in a transaction of its own; returns the names applied. */
export async function migrate(raw: RawSql, folder: URL = HERE): Promise<string[]> {
  const migrations = await readMigrations(folder);
  return raw.alone((run) => applyMissing(run, migrations));
}

/** Returns the number of the last migration that was applied, such as `013`. */
export async function schemaVersion(raw: RawSql): Promise<string> {
  const { rows } = await raw.executeSql("select max(left(name, 3)) as version from shiftpact.migrations");
  return rows[0]?.version ?? "";
}

export async function readMigrations(folder: URL = HERE): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{3}-.+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

const FIRST = `create schema if not exists shiftpact;
  create table if not exists shiftpact.migrations (
    name text primary key, checksum text not null, applied_at timestamptz not null default now());`;

/** Makes the tables of a database that has none, as these migrations do, within the transaction of the caller. */
export async function makeTables(run: RunSql, migrations: readonly Migration[]): Promise<void> {
  await run(FIRST);
  for (const migration of migrations) await applyWithin(run, migration);
}

async function applyMissing(run: RunSql, migrations: Migration[]): Promise<string[]> {
  await run(FIRST);
  const { rows } = await run("select name, checksum from shiftpact.migrations");
  const applied = new Map<string, string>(rows.map((row) => [row.name, row.checksum]));
  const missing = migrations.filter((migration) => !isApplied(migration, applied.get(migration.name)));
  for (const migration of missing) await apply(run, migration);
  return missing.map((migration) => migration.name);
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

async function apply(run: RunSql, migration: Migration): Promise<void> {
  await run("begin");
  try {
    await applyWithin(run, migration);
    await run("commit");
  } catch (error) {
    await run("rollback");
    throw error;
  }
}

async function applyWithin(run: RunSql, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await run("set local search_path to shiftpact");
    await run(sql);
    await run("insert into shiftpact.migrations (name, checksum) values ($1, $2)", [name, checksum]);
  } catch (error) {
    throw new Error(`migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
