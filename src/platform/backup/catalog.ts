import type { RunSql } from "../db/engine.ts";
import type { Day } from "./format.ts";

/** A table of the schema `shiftpact`; its partitions are read and written through it. */
export interface Table {
  name: string;
  /** Those that are stored; generated columns are computed again. `type`: as SQL spells it. */
  columns: { name: string; type: string }[];
}

/** How values are written as text. The same at both ends, so that each is read back as it was. One transaction. */
export const AS_TEXT = `set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
  set local bytea_output = 'hex'; set local extra_float_digits = 1; set local search_path to shiftpact, public`;

/** All tables but the one of the migrations. */
export async function readTables(run: RunSql): Promise<Table[]> {
  const { rows } = await run(`
    select c.relname as name, json_agg(json_build_object('name', a.attname,
        'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'shiftpact'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> 'migrations' and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname`);
  return rows;
}

/** The days for which tables that are kept by day have a partition. */
export async function readDays(run: RunSql): Promise<Day[]> {
  const { rows } = await run(`
    select p.relname as table, to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as day
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where c.relnamespace = 'shiftpact'::regnamespace and c.relkind = 'r' and c.relname ~ '_\\d{8}$'
    order by p.relname, c.relname`);
  return rows;
}

export async function readApplied(run: RunSql): Promise<{ name: string; checksum: string }[]> {
  const { rows } = await run("select name, checksum from shiftpact.migrations order by name");
  return rows;
}

export async function hasTables(run: RunSql): Promise<boolean> {
  const { rows } = await run(
    "select exists (select 1 from pg_tables where schemaname = 'shiftpact') as present",
  );
  return rows[0].present;
}

/** SQL that drops every foreign key, and SQL that adds them again and checks them all at once. */
export async function foreignKeys(run: RunSql): Promise<{ drop: string; add: string }> {
  const { rows } = await run(`
    select format('alter table %s drop constraint %I;', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s;', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
    from pg_constraint
    where contype = 'f' and conparentid = 0 and connamespace = 'shiftpact'::regnamespace`);
  return { drop: rows.map((row) => row.drop).join(""), add: rows.map((row) => row.add).join("") };
}

/** An SQL identifier. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const columnsOf = ({ columns }: Table): string => columns.map(({ name }) => quoted(name)).join(", ");
