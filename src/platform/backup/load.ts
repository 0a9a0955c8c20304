import type { RunSql } from "../db/engine.ts";
import { makeTables, readMigrations } from "../db/migrate.ts";
import { DAILY_TABLES } from "../db/partitions.ts";
import { isOfAnotherCommit, type Migration, UNRELEASED } from "../db/schema-version.ts";
import { AS_TEXT, columnsOf, foreignKeys, quoted, readTables, type Table } from "./catalog.ts";
import {
  BackupError,
  cited,
  type Day,
  type Header,
  readHeader,
  reading,
  requireEnd,
  rowsOf,
} from "./format.ts";

/** Characters of rows in one statement. */
const CHARS_AT_ONCE = 500_000;

export interface Loaded {
  header: Header;
  rows: number;
  /** What was applied to the tables after they were filled. */
  migrated: string[];
}

/**
 * Makes the backup's tables as they were, fills them, and migrates them to this version, all within the transaction of the caller.
 * Rejects with BackupError when the backup is damaged, incomplete, of a newer version or, before the first release, of another commit.
 * @param migrations those of this version unless given
 */
export const load = (
  run: RunSql,
  file: AsyncIterable<string>,
  migrations?: readonly Migration[],
): Promise<Loaded> =>
  reading(file, async (lines) => {
    const header = await readHeader(lines);
    const known = migrations ?? (await readMigrations());
    await makeTables(run, appliedTo(header, known));
    await run(AS_TEXT);
    const tables = ownTables(header, await readTables(run));
    for (const day of header.days) await makeDay(run, day);
    const { drop, add } = await foreignKeys(run);
    // Rows come in another order.
    await run(drop);
    let rows = 0;
    for (const [index, table] of tables.entries())
      rows += await insertRows(run, lines, table, { type: `row_${index}` });
    await requireEnd(lines);
    await run(add);
    const applied = new Set(header.migrations.map(({ name }) => name));
    const later = known.filter(({ name }) => !applied.has(name));
    await makeTables(run, later);
    return { header, rows, migrated: later.map(({ name }) => name) };
  });

/**
 * Returns the tables of the header as this database has them. Names in the file are compared, and never used.
 * @param own those that a backup of this schema holds, in its order
 * @throws BackupError for any others
 */
export function ownTables({ tables, days }: Header, own: readonly Table[]): readonly Table[] {
  for (let nth = 0; nth < Math.max(own.length, tables.length); nth += 1)
    if (tables[nth] !== own[nth]?.name)
      throw new BackupError(
        `the backup cannot be used: where a backup of its schema has table ${cited(own[nth]?.name)}, it has ${cited(tables[nth])}`,
      );
  const other = days.find(({ table }) => !DAILY_TABLES.some((each) => each === table));
  if (other)
    throw new BackupError(`the backup cannot be used: no table ${cited(other.table)} is kept by day`);
  return own;
}

/** Makes the day of a table, as upkeep does, unless there is one. */
export const makeDay = (run: RunSql, { table, day }: Day) =>
  run("select shiftpact.make_day($1, $2::text::date)", [table, day]);

/** Those that the backup's database had, as this version has them. */
function appliedTo(header: Header, known: readonly Migration[]): Migration[] {
  if (isOfAnotherCommit(header.migrations, known))
    throw new BackupError(
      `the schema of the backup is that of another commit: ${UNRELEASED}; restore it with the commit that made it`,
    );
  const names = new Map(header.migrations.map(({ name, checksum }) => [name, checksum]));
  const unknown = header.migrations.find(({ name }) => !known.some((migration) => migration.name === name));
  if (unknown)
    throw new BackupError(
      `the backup is of a newer version: it has migration ${unknown.name}; install the shiftpact that made it, or a later one`,
    );
  const applied = known.filter(({ name }) => names.has(name));
  const changed = applied.find(({ name, checksum }) => names.get(name) !== checksum);
  if (changed) throw new BackupError(`migration ${changed.name} differs from that of the backup's database`);
  return applied;
}

interface Insertion {
  /** The name of a type that the session has not used yet. */
  type: string;
  into?: string;
  /** Rows of another organisation are refused. */
  providerId?: string;
  onConflict?: string;
  translate?: (row: string) => string;
}

/**
 * Fills one table with its rows. The settings AS_TEXT must be in force. Returns their number.
 * @throws BackupError
 */
export async function insertRows(
  run: RunSql,
  lines: AsyncIterator<string>,
  table: Table,
  insertion: Insertion,
): Promise<number> {
  const { type, into = `shiftpact.${quoted(table.name)}`, onConflict = "", providerId } = insertion;
  const { translate = (row) => row } = insertion;
  const attributes = table.columns.map((column) => `${quoted(column.name)} ${column.type}`).join(", ");
  await run(`create type pg_temp.${type} as (${attributes})`);
  const columns = columnsOf(table);
  const given = `unnest($1::text::pg_temp.${type}[])`;
  const insert = `insert into ${into} (${columns}) select ${columns} from ${given} ${onConflict}`;
  const others = `select 1 from ${given} where provider_id is distinct from $2::uuid limit 1`;
  const store = async (rows: string) => {
    if (providerId !== undefined && (await run(others, [rows, providerId])).rows.length > 0)
      throw new BackupError(
        `the backup cannot be used: table ${table.name} has a row of another organisation`,
      );
    await run(insert, [rows]);
  };
  let elements: string[] = [];
  let [rows, chars] = [0, 0];
  const flush = async () => {
    if (elements.length > 0)
      await store(`{${elements.join(",")}}`).catch((error) => {
        throw faultOf(error, table);
      });
    elements = [];
    chars = 0;
  };
  for await (const row of rowsOf(lines, table.name)) {
    elements.push(element(translate(row)));
    rows += 1;
    chars += row.length;
    if (chars > CHARS_AT_ONCE) await flush();
  }
  await flush();
  return rows;
}

/** PostgreSQL quotes a value that it cannot read, and the value may be personal data. */
function faultOf(error: unknown, { name }: Table): unknown {
  const { code = "" } = error as { code?: string };
  if (!code.startsWith("22")) return error;
  return new BackupError(`the backup is damaged: a row of table ${name} cannot be stored`, { cause: error });
}

/** An element of an array, as PostgreSQL reads it. */
const element = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
