import type { RunSql } from "../db/engine.ts";
import { AS_TEXT, columnsOf, quoted, readApplied, readDays, readTables, type Table } from "./catalog.ts";
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
  { providerId, onRows = () => undefined }: DumpOptions = {},
): AsyncGenerator<string> {
  await run(AS_TEXT);
  const moved = providerId === undefined ? {} : await requireMovable(run, providerId);
  const all = await readTables(run);
  const selected =
    providerId === undefined
      ? all.map((table) => ({ table, where: "true" }))
      : await selectOrganisation(run, all, providerId);
  const tables = selected.map(({ table }) => table.name);
  yield controlLine({ ...(await headerOf(run, tables)), ...moved });
  for (const { table, where } of selected) yield* rowsOf(run, table, where, onRows);
}

/** Describes the database. The settings AS_TEXT must be in force. */
async function headerOf(run: RunSql, tables: string[]): Promise<Header> {
  const { rows } = await run(`select to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`);
  return { takenAt: rows[0].at, migrations: await readApplied(run), tables, days: await readDays(run) };
}

/** Yields the rows of a table, and the line that ends them. */
async function* rowsOf(
  run: RunSql,
  table: Table,
  where: string,
  onRows: (rows: number) => void,
): AsyncGenerator<string> {
  await run(`declare stored_rows no scroll cursor for
    select stored::text as row from (select ${columnsOf(table)} from shiftpact.${quoted(table.name)} where ${where}) as stored`);
  let fetched: number;
  do {
    const { rows } = await run(`fetch ${ROWS_AT_ONCE} from stored_rows`);
    fetched = rows.length;
    if (fetched > 0) yield rows.map(({ row }) => rowLine(row)).join("");
    onRows(fetched);
  } while (fetched === ROWS_AT_ONCE);
  await run("close stored_rows");
  yield controlLine({ end: table.name });
}
