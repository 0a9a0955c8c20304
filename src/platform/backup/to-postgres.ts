import { type Database, inTransaction, type RunSql } from "../db/engine.ts";
import { migrate } from "../db/migrate.ts";
import { recordPlace } from "../db/postgres/server.ts";
import { BackupError } from "./after-restore.ts";

/** A table of the schema `shiftpact`; its partitions are read and written through it. */
export interface Table {
  name: string;
  /** Those that are stored; generated columns are computed again. `type`: as SQL spells it. */
  columns: { name: string; type: string }[];
}

/** How values are written as text. The same at both ends, so that each is read back as it was. One transaction. */
export const AS_TEXT = `set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
  set local bytea_output = 'hex'; set local extra_float_digits = 1; set local search_path to shiftpact, public`;

/** All tables but those that belong to the database that is open. */
export async function readTables(run: RunSql): Promise<Table[]> {
  const { rows } = await run(`
    select c.relname as name, json_agg(json_build_object('name', a.attname,
        'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'shiftpact'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not in ('migrations', 'locks', 'processes', 'last_place') and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname`);
  return rows;
}

/** An SQL identifier. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const columnsOf = ({ columns }: Table): string => columns.map(({ name }) => quoted(name)).join(", ");

const ROWS_AT_ONCE = 500;

type Migrated = Pick<Database, "raw">;

/**
 * Copies every row of an embedded database into an empty one of PostgreSQL, in one transaction; returns their number. No platform starts on the
 * embedded one afterwards: two would act on the same shifts. Rejects with BackupError when the target is not empty.
 */
export async function copyInto(
  target: Migrated,
  source: Migrated,
  onRows: (rows: number) => void,
): Promise<number> {
  for (const { raw } of [source, target]) await migrate(raw);
  return target.raw.alone((write) =>
    inTransaction(write, async () => {
      await write(AS_TEXT);
      const tables = await readTables(write);
      await requireEmpty(write, tables);
      const { drop, add } = await foreignKeys(write);
      // Rows come in another order.
      await write(drop);
      let rows = 0;
      const count = (more: number) => {
        rows += more;
        onRows(more);
      };
      await source.raw.alone((read) =>
        inTransaction(read, async () => {
          await read(AS_TEXT);
          await copyDays(read, write);
          for (const [nth, table] of tables.entries()) await copyRows(read, write, { table, nth, count });
          await write(add);
          await recordPlace(read, "PostgreSQL");
        }),
      );
      return rows;
    }),
  );
}

async function requireEmpty(run: RunSql, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    const { rows } = await run(`select 1 from shiftpact.${quoted(name)} limit 1`);
    if (rows.length > 0)
      throw new BackupError(`the database is not empty (table ${name}): name an empty one in DATABASE_URL`);
  }
}

/** SQL that drops every foreign key, and SQL that adds them again and checks them all at once. */
async function foreignKeys(run: RunSql): Promise<{ drop: string; add: string }> {
  const { rows } = await run(`
    select format('alter table %s drop constraint %I;', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s;', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
    from pg_constraint
    where contype = 'f' and conparentid = 0 and connamespace = 'shiftpact'::regnamespace`);
  return { drop: rows.map((row) => row.drop).join(""), add: rows.map((row) => row.add).join("") };
}

/** Makes the days of the tables that are kept by day, as upkeep does. */
async function copyDays(read: RunSql, write: RunSql): Promise<void> {
  const { rows } = await read(`
    select p.relname as table, to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as day
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where c.relnamespace = 'shiftpact'::regnamespace and c.relkind = 'r' and c.relname ~ '_\\d{8}$'`);
  for (const { table, day } of rows)
    await write("select shiftpact.make_day($1, $2::text::date)", [table, day]);
}

interface Copying {
  table: Table;
  nth: number;
  count: (rows: number) => void;
}

/** Rows go as PostgreSQL's text of a composite value, which holds every value of every type. */
async function copyRows(read: RunSql, write: RunSql, { table, nth, count }: Copying): Promise<void> {
  const columns = columnsOf(table);
  const name = `shiftpact.${quoted(table.name)}`;
  const attributes = table.columns.map((column) => `${quoted(column.name)} ${column.type}`).join(", ");
  await write(`create type pg_temp.row_${nth} as (${attributes})`);
  await read(`declare stored_rows no scroll cursor for
    select stored::text as row from (select ${columns} from ${name}) as stored`);
  for (;;) {
    const { rows } = await read(`fetch ${ROWS_AT_ONCE} from stored_rows`);
    if (rows.length === 0) break;
    await write(
      `insert into ${name} (${columns}) select ${columns} from unnest($1::text::pg_temp.row_${nth}[])`,
      [`{${rows.map(({ row }) => `"${row.replace(/["\\]/g, "\\$&")}"`).join(",")}}`],
    );
    count(rows.length);
  }
  await read("close stored_rows");
}
