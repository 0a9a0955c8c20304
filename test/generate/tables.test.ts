import { describe, expect, it } from "vitest";
import { emitTables, tablesIn } from "../../scripts/row-types.ts";
import { MIGRATIONS_TABLE, readMigrations } from "../../src/platform/db/migrate.ts";
import { engines, useEngine } from "../harness/engines.ts";

describe.each(engines)("the types of rows, and the tables that migrations make on %s", (engine) => {
  const database = useEngine(engine);

  it("agree on names, types, nulls, defaults and allowed values", async () => {
    const { rows } = await database().raw.executeSql(`
      select tables.relname as table, relkind = 'v' as "isView", attname as name, typname as type, not attnotnull as "isNullable",
        atthasdef as "hasDefault", (select array_agg(value[1]) from pg_constraint,
          regexp_matches(pg_get_constraintdef(pg_constraint.oid), '''([^'']+)''::text', 'g') as value
          where conrelid = tables.oid and contype = 'c' and conkey = array[attnum]) as values
      from pg_class as tables join pg_attribute on attrelid = tables.oid join pg_type on pg_type.oid = atttypid
      where relnamespace = 'shiftpact'::regnamespace and relkind in ('r', 'p', 'v') and not relispartition and attnum > 0 and not attisdropped
      order by tables.relname, attnum`);
    const stored = rows.map(({ isView, values, ...row }) => {
      const { table, name, type } = row;
      // PostgreSQL knows nothing else of the columns of a view.
      return isView ? { table, name, type } : { ...row, values: values ?? [] };
    });
    const views = new Set(rows.filter(({ isView }) => isView).map(({ table }) => table));
    const sql = [MIGRATIONS_TABLE, ...(await readMigrations()).map((migration) => migration.sql)].join(";\n");
    const typed = (await tablesIn(sql)).flatMap(({ name: table, columns }) =>
      columns.map(({ name, type, isNullable, hasDefault, values }) =>
        views.has(table)
          ? { table, name, type }
          : { table, name, type, isNullable, hasDefault, values: [...values] },
      ),
    );
    const byTable = Map.groupBy(typed, ({ table }) => table);
    expect(Map.groupBy(stored, ({ table }) => table)).toEqual(byTable);
    expect(views.size).toBe(2);
  });
});

describe("the types of rows", () => {
  it("follow a column that a later migration adds, with its comment", async () => {
    const text = await emitTables(`
      -- Of one day.
      create table days (
        day text primary key, note text default 'é',
        -- IssueCode of the operations API.
        code text,
        facts jsonb not null);
      alter table days add column place text not null check (place in ('a', 'b'));`);
    expect(text).toContain(
      `  /** Of one day. */
days: {
day: string;
note: Generated<string | null>;
/** IssueCode of the operations API. */
code: api.IssueCode | null;
facts: Json<J["days.facts"]>;
place: "a" | "b";
};`.trimStart(),
    );
    expect(text).toContain('export type JsonColumns = Record<"days.facts", unknown>');
  });

  it.each([
    ["alter table days drop column day", /days: .* AT_DropColumn/],
    ["alter table days rename day to date", /RenameStmt/],
    ["drop table days", /DropStmt/],
    ["create table nights (at interval)", /nights\.at has the type interval/],
  ])("refuse what they do not understand: %s", async (statement, fault) => {
    await expect(emitTables(`create table days (day text); ${statement}`)).rejects.toThrow(fault);
  });
});
