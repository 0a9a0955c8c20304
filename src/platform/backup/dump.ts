import type { Engine, RunSql } from "../db/engine.ts";
import { SEALED_VALUE } from "../integrations/vault.ts";
import {
  AS_TEXT,
  columnsOf,
  quoted,
  readApplied,
  readPartitions,
  readTables,
  type Table,
} from "./catalog.ts";
import { createDigest } from "./digest.ts";
import { controlLine, type Header, rowLine } from "./format.ts";
import { requireMovable, selectOrganisation } from "./organisation.ts";

const ROWS_AT_ONCE = 2_000;

export interface DumpOptions {
  /** Only this organisation, which must be suspended, and what it names. */
  providerId?: string | undefined;
  onRows?: ((rows: number) => void) | undefined;
}

/**
 * Yields a backup's text in pieces. `run` sees the database as it is at one moment: RawSql.snapshot. Rejects with BackupError when the
 * organisation cannot be moved.
 */
export async function* dump(
  run: RunSql,
  engine: Engine,
  { providerId, onRows = () => undefined }: DumpOptions = {},
): AsyncGenerator<string> {
  await run(AS_TEXT);
  const moved = providerId === undefined ? {} : await requireMovable(run, providerId);
  const all = await readTables(run);
  const selected =
    providerId === undefined
      ? all.map((table) => ({ table, where: "true" }))
      : await selectOrganisation(run, all, providerId);
  const tables = selected.map(({ table }) => table);
  yield controlLine({ ...(await headerOf(run, engine, tables)), ...moved });
  let rows = 0;
  for (const { table, where } of selected) rows += yield* rowsOf(run, table, where, onRows);
  yield controlLine({ complete: true, tables: tables.length, rows });
}

/** Describes the database. The settings AS_TEXT must be in force. */
async function headerOf(run: RunSql, engine: Engine, tables: Table[]): Promise<Header> {
  const { rows } = await run(
    `select to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, (${SEALED_VALUE}) as sealed`,
  );
  return {
    shiftpact: "backup",
    format: 1,
    takenAt: rows[0].at,
    engine,
    migrations: await readApplied(run),
    sealed: rows[0].sealed,
    tables,
    partitions: await readPartitions(run),
  };
}

/** Yields rows of a table. Returns their number. */
async function* rowsOf(
  run: RunSql,
  table: Table,
  where: string,
  onRows: (rows: number) => void,
): AsyncGenerator<string, number> {
  const digest = createDigest();
  yield controlLine({ table: table.name });
  await run(`declare stored_rows no scroll cursor for
    select stored::text as row from (select ${columnsOf(table)} from shiftpact.${quoted(table.name)} where ${where}) as stored`);
  let fetched: number;
  do {
    const { rows } = await run(`fetch ${ROWS_AT_ONCE} from stored_rows`);
    fetched = rows.length;
    for (const { row } of rows) digest.add(row);
    if (fetched > 0) yield rows.map(({ row }) => rowLine(row)).join("");
    onRows(fetched);
  } while (fetched === ROWS_AT_ONCE);
  await run("close stored_rows");
  yield controlLine({ end: table.name, ...digest.read() });
  return digest.read().rows;
}
