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

const ROWS_AT_ONCE = 2_000;

/** Yields a backup's text in pieces. `run` sees the database as it is at one moment: RawSql.snapshot. */
export async function* dump(run: RunSql, engine: Engine): AsyncGenerator<string> {
  await run(AS_TEXT);
  const header = await headerOf(run, engine);
  yield controlLine(header);
  let rows = 0;
  for (const table of header.tables) rows += yield* rowsOf(run, table);
  yield controlLine({ complete: true, tables: header.tables.length, rows });
}

/** Describes the database. The settings AS_TEXT must be in force. */
async function headerOf(run: RunSql, engine: Engine): Promise<Header> {
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
    tables: await readTables(run),
    partitions: await readPartitions(run),
  };
}

/** Yields a table. Returns the number of its rows. */
async function* rowsOf(run: RunSql, table: Table): AsyncGenerator<string, number> {
  const digest = createDigest();
  yield controlLine({ table: table.name });
  await run(`declare stored_rows no scroll cursor for
    select stored::text as row from (select ${columnsOf(table)} from shiftpact.${quoted(table.name)}) as stored`);
  let fetched: number;
  do {
    const { rows } = await run(`fetch ${ROWS_AT_ONCE} from stored_rows`);
    fetched = rows.length;
    for (const { row } of rows) digest.add(row);
    if (fetched > 0) yield rows.map(({ row }) => rowLine(row)).join("");
  } while (fetched === ROWS_AT_ONCE);
  await run("close stored_rows");
  yield controlLine({ end: table.name, ...digest.read() });
  return digest.read().rows;
}
