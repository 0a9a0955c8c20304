import { parse } from "libpg-query";
import { camelCase } from "../src/platform/db/names.ts";

/** Whatever the parser returns below a node: objects, lists, names and numbers. */
// biome-ignore lint/suspicious/noExplicitAny: PostgreSQL has 300 kinds of node; the few fields that are read are named here.
type Fields = any;

/** A column of a table, as a row of it is typed. */
export interface Column {
  name: string;
  /** As PostgreSQL names it: `text`, `int4`. */
  type: string;
  isNullable: boolean;
  hasDefault: boolean;
  /** The values that a check allows. */
  values: readonly string[];
  comment: string;
  /** Where the column is stored; of a view, that of its first table. */
  table: string;
}

export interface Table {
  name: string;
  comment: string;
  columns: readonly Column[];
}

/** Returns the tables and views that the statements make. @throws Error that names what the types of rows cannot follow */
export async function tablesIn(sql: string): Promise<Table[]> {
  const bytes = Buffer.from(sql);
  const { stmts } = (await parse(sql)) as Fields;
  const tables = new Map<string, Table>();
  for (const { stmt, stmt_location: from = 0 } of stmts) {
    const { CreateStmt: made, ViewStmt: view, AlterTableStmt: altered } = stmt;
    // A partition is read through its table.
    if (made && !made.partbound) {
      const { relname: name } = made.relation;
      const columns = columnsOf(name, made.tableElts, bytes);
      tables.set(name, { name, comment: commentBefore(bytes, textStart(bytes, from)), columns });
    } else if (view) tables.set(view.view.relname, viewOf(view, tables));
    else if (altered) alter(altered, tables, bytes);
    else if (!made) refuseUnlessApart(Object.keys(stmt));
  }
  return [...tables.values()];
}

/** Statements that leave the columns of all tables as they are; of a `do` block, the comparison with the catalogue of a database shows it. */
const APART = ["IndexStmt", "CreateFunctionStmt", "GrantStmt", "DoStmt"];

function refuseUnlessApart(kinds: readonly string[]): void {
  for (const kind of kinds)
    if (!APART.includes(kind))
      throw new Error(`the types of rows do not follow ${kind}: teach it to scripts/row-types.ts`);
}

function columnsOf(table: string, elements: readonly Fields[], bytes: Buffer): Column[] {
  const keys = elements.flatMap(({ Constraint: own }) => (own?.contype === "CONSTR_PRIMARY" ? own.keys : []));
  const inKey = new Set(keys.map(({ String: key }: Fields) => key.sval));
  return elements.flatMap(({ ColumnDef: own }) => (own ? [columnOf(table, own, bytes, inKey)] : []));
}

function columnOf(table: string, own: Fields, bytes: Buffer, inKey?: ReadonlySet<unknown>): Column {
  const { colname: name, typeName, constraints = [], location } = own;
  const found = new Map<string, Fields>(
    constraints.map(({ Constraint: each }: Fields) => [each.contype, each]),
  );
  const isRequired = found.has("CONSTR_NOTNULL") || found.has("CONSTR_PRIMARY") || inKey?.has(name);
  return {
    table,
    name,
    type: typeName.names.at(-1).String.sval,
    isNullable: !isRequired,
    hasDefault: found.has("CONSTR_DEFAULT"),
    values: valuesOf(found.get("CONSTR_CHECK")?.raw_expr?.A_Expr),
    comment: commentBefore(bytes, location),
  };
}

function valuesOf(check: Fields): string[] {
  if (check?.kind !== "AEXPR_IN") return [];
  return check.rexpr.List.items.map(({ A_Const: each }: Fields) => each.sval.sval);
}

/** A view has the columns that it selects from its first table. */
function viewOf({ view, query }: Fields, tables: ReadonlyMap<string, Table>): Table {
  let select = query.SelectStmt;
  while (select.larg) select = select.larg;
  const { columns = [] } = tables.get(select.fromClause[0].RangeVar.relname) ?? {};
  const names = select.targetList.map(
    ({ ResTarget: each }: Fields) => each.val.ColumnRef.fields[0].String.sval,
  );
  const selected = names.flatMap((name: string) => columns.find((column) => column.name === name) ?? []);
  return { name: view.relname, comment: "", columns: selected };
}

function alter({ relation, cmds }: Fields, tables: Map<string, Table>, bytes: Buffer): void {
  const table = tables.get(relation.relname);
  for (const { AlterTableCmd: change } of cmds) {
    if (change.subtype !== "AT_AddColumn" || !table)
      throw new Error(
        `${relation.relname}: the types of rows do not follow ${change.subtype}: teach it to scripts/row-types.ts`,
      );
    const columns = [...table.columns, columnOf(table.name, change.def.ColumnDef, bytes)];
    tables.set(table.name, { ...table, columns });
  }
}

/** A statement begins after the space and the comments before it. */
function textStart(bytes: Buffer, from: number): number {
  const [before = ""] = /^(?:\s|--[^\n]*\n)*/.exec(bytes.subarray(from).toString()) ?? [];
  return from + Buffer.byteLength(before);
}

/** Returns the text of the lines with comments above a place, unless something is before it on its line. */
function commentBefore(bytes: Buffer, at: number): string {
  const lines = bytes.subarray(0, at).toString().split("\n");
  if (lines.pop()?.trim()) return "";
  const first = lines.findLastIndex((line) => !/^\s*--/.test(line)) + 1;
  return lines
    .slice(first)
    .map((line) => line.replace(/^\s*-- ?/, ""))
    .join("\n");
}

const TYPES: Readonly<Record<string, string>> = {
  text: "string",
  uuid: "string",
  bool: "boolean",
  int2: "number",
  int4: "number",
  int8: "number",
  float8: "number",
  timestamptz: "Date",
};

/** A comment names the type of a text of the operations API, as `IssueCode of the operations API`. */
const OF_THE_API = /^(\w+) of the operations API\b/;

/** Returns the module with the types of the rows. */
export async function emitTables(sql: string): Promise<string> {
  const tables = await tablesIn(sql);
  const columns = tables.flatMap((table) => table.columns);
  const json = new Set(columns.filter(({ type }) => type === "jsonb").map(typePathOf));
  return `// Generated by \`npm run generate\` from src/platform/db/migrations. Do not edit.

import type { ColumnType, Generated } from "kysely";
import type * as api from "../operations/types.ts";

/** A jsonb column is read as its value and written as JSON text, because the drivers disagree on arrays. */
type Json<T> = ColumnType<T, string, string>;
type JsonWithDefault<T> = ColumnType<T, string | undefined, string>;

/** What each jsonb column holds. */
export type JsonColumns = Record<${[...json].map((name) => JSON.stringify(name)).join(" | ")}, unknown>;

/** The tables of schema \`shiftpact\`, with names in camelCase. Times are Dates in and out. */
export interface Tables<J extends JsonColumns> {
${tables.map(emitTable).join("")}}
`;
}

const pathOf = ({ table, name }: Column): string => `${table}.${name}`;
const typePathOf = (column: Column): string => camelCase(pathOf(column));

const emitTable = ({ name, comment, columns }: Table): string =>
  `${docOf(comment)}${camelCase(name)}: {\n${columns.map(emitColumn).join("")}};\n`;

const emitColumn = (column: Column): string =>
  `${docOf(column.comment)}${camelCase(column.name)}: ${typeOf(column)};\n`;

function docOf(comment: string): string {
  if (comment === "") return "";
  return comment.includes("\n") ? `/**\n${comment.replace(/^/gm, " * ")}\n */\n` : `/** ${comment} */\n`;
}

function typeOf(column: Column): string {
  const { type, isNullable, hasDefault, values, comment } = column;
  const nullable = isNullable ? " | null" : "";
  if (type === "jsonb")
    return `${hasDefault ? "JsonWithDefault" : "Json"}<J["${typePathOf(column)}"]>${nullable}`;
  const [, ofTheApi] = OF_THE_API.exec(comment) ?? [];
  const own = ofTheApi ? `api.${ofTheApi}` : values.map((value) => JSON.stringify(value)).join(" | ");
  const whole = `${own || TYPES[type]}${nullable}`;
  if (TYPES[type] === undefined)
    throw new Error(`${pathOf(column)} has the type ${type}, which the types of rows do not know`);
  return hasDefault ? `Generated<${whole}>` : whole;
}
