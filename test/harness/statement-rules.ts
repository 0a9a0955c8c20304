import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "libpg-query";

const MIGRATIONS = fileURLToPath(new URL("../../src/platform/db/migrations", import.meta.url));

/** Whatever the parser returns below a node: objects, lists, names and numbers. */
// biome-ignore lint/suspicious/noExplicitAny: PostgreSQL has 300 kinds of node; a rule reads the few fields that it names.
type Fields = any;

/** A node of the parse tree, and those around it, the nearest first. */
interface Node {
  kind: string;
  fields: Fields;
  around: readonly Node[];
}

/** What a distributed planner refuses, or runs on every shard. */
export type StatementRule =
  | "locks_organisations"
  | "volatile_in_conflict"
  | "volatile_in_case"
  | "volatile_in_update"
  | "stable_over_columns"
  | "empty_select_list"
  | "lateral_limit"
  | "grouping_sets"
  | "crosses_organisations";

export interface StatementFinding {
  rule: StatementRule;
  /** What breaks it: a table or a function. */
  subject: string;
}

/** Returns every node of a tree, each before those within it. */
function nodesOf(tree: Fields, around: readonly Node[] = []): Node[] {
  if (Array.isArray(tree)) return tree.flatMap((each) => nodesOf(each, around));
  if (!isObject(tree)) return [];
  return Object.entries(tree).flatMap(([name, fields]) => {
    // Nodes are named in capitals; some fields hold the fields of a node without its name.
    const kind = isName(name) ? name : UNNAMED[name];
    if (kind === undefined || !isObject(fields) || Object.keys(fields).some(isName))
      return nodesOf(fields, around);
    const node: Node = { kind, fields, around };
    return [node, ...nodesOf(fields, [node, ...around])];
  });
}

const isObject = (value: Fields): value is Record<string, Fields> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isName = (key: string) => /^[A-Z]/.test(key);

const UNNAMED: Readonly<Record<string, string>> = {
  relation: "RangeVar",
  larg: "SelectStmt",
  rarg: "SelectStmt",
  onConflictClause: "OnConflictClause",
};

const parsed = async (text: string): Promise<Node[]> => nodesOf(await parse(text));

/** The tables, and views of them, whose rows belong to one organisation each. */
export type OrganisationTables = ReadonlySet<string>;

/** Reads from the migrations which tables have a primary key that begins with `provider_id`, and which views read one. */
export async function organisationTables(folder = MIGRATIONS): Promise<OrganisationTables> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".sql"),
  );
  const text = files.sort().map((name) => readFileSync(join(folder, name), "utf8"));
  const nodes = await parsed(text.join("\n"));
  const names = new Set<string>();
  for (const { kind, fields } of nodes) {
    if (kind === "CreateStmt" && firstOfKey(fields) === "provider_id") names.add(fields.relation.relname);
    const isOfView =
      kind === "ViewStmt" && nodesOf(fields.query).some((node) => names.has(node.fields.relname));
    if (isOfView) names.add(fields.view.relname);
  }
  return names;
}

function firstOfKey({ tableElts = [] }: Fields): string | undefined {
  for (const { ColumnDef: column, Constraint: constraint } of tableElts) {
    if (constraint?.contype === "CONSTR_PRIMARY") return constraint.keys[0].String.sval;
    const isKey = column?.constraints?.some(
      ({ Constraint: own }: Fields) => own.contype === "CONSTR_PRIMARY",
    );
    if (isKey) return column.colname;
  }
  return undefined;
}

/** Rows of a table that a statement locks. `isAwaited`: it waits for those that others have locked. */
export interface Locked {
  table: string;
  isAwaited: boolean;
}

/** Returns the tables of which a statement locks rows, in its order. */
export async function lockedBy(text: string): Promise<Locked[]> {
  const nodes = await parsed(text);
  return nodes.flatMap(({ kind, fields }): Locked[] => {
    if (kind === "SelectStmt")
      return (fields.lockingClause ?? []).flatMap((each: Fields) => chosenBy(each, fields));
    const isUpsert = fields.onConflictClause?.action === "ONCONFLICT_UPDATE";
    const isWriting = kind === "UpdateStmt" || kind === "DeleteStmt" || (kind === "InsertStmt" && isUpsert);
    return isWriting ? [{ table: fields.relation.relname, isAwaited: true }] : [];
  });
}

function chosenBy({ LockingClause: { lockedRels, waitPolicy } }: Fields, { fromClause }: Fields): Locked[] {
  const names = new Set(lockedRels?.map((each: Fields) => each.RangeVar.relname));
  const isAwaited = waitPolicy === "LockWaitBlock";
  return nodesOf(fromClause).flatMap(({ kind, fields: { relname: table, alias } }) =>
    kind === "RangeVar" && (!lockedRels || names.has(alias?.aliasname ?? table))
      ? [{ table, isAwaited }]
      : [],
  );
}

/** Returns what a distributed planner would not take in a statement. */
export async function lintStatement(text: string, tables: OrganisationTables): Promise<StatementFinding[]> {
  const nodes = await parsed(text);
  return nodes.flatMap((node) => [
    ...shapesOf(node),
    ...crossings(node, tables),
    ...lateralLimits(node, tables),
  ]);
}

/** One worker takes them for the rows of one organisation. */
function lateralLimits({ kind, fields, around }: Node, tables: OrganisationTables): StatementFinding[] {
  if (kind !== "RangeSubselect" || !fields.lateral) return [];
  const query = fields.subquery.SelectStmt;
  const own = branchesOf(query)
    .flatMap((branch) => readingsOf({ kind: "SelectStmt", fields: branch, around }, tables, "several"))
    .filter(({ isTable }) => isTable);
  const isLimited = query.limitCount ?? query.limitOffset;
  if (!isLimited || (own.length > 0 && own.every(({ reads }) => reads === "one"))) return [];
  return [{ rule: "lateral_limit", subject: fields.alias?.aliasname ?? "" }];
}

/** The parts of a union, or the query itself. */
const branchesOf = (query: Fields): Fields[] =>
  query.larg && query.rarg ? [...branchesOf(query.larg), ...branchesOf(query.rarg)] : [query];

const STABLE =
  /^(?:now|statement_timestamp|transaction_timestamp|to_jsonb?|jsonb?_build_(?:object|array)|to_char|format|concat(?:_ws)?)$/;
const VOLATILE = /^(?:clock_timestamp|timeofday|random|gen_random_uuid|nextval)$/;

const functionOf = ({ kind, fields }: Node): string => {
  if (kind === "FuncCall") return fields.funcname.at(-1).String.sval;
  return kind === "SQLValueFunction" && /CURRENT|LOCAL/.test(fields.op) ? "now" : "";
};

/** The statement that a node belongs to: not one around that. */
const statementOf = ({ around }: Node) => around.find(({ kind }) => kind.endsWith("Stmt"));

function shapesOf(node: Node): StatementFinding[] {
  const { kind, fields, around } = node;
  const found: StatementFinding[] = [];
  const name = functionOf(node);
  const isWritten = /^(?:InsertStmt|UpdateStmt|DeleteStmt)$/.test(statementOf(node)?.kind ?? "");
  if (STABLE.test(name) || VOLATILE.test(name)) {
    if (around.some(({ kind }) => kind === "OnConflictClause"))
      found.push({ rule: "volatile_in_conflict", subject: name });
    else if (isWritten && around.some(isChoice)) found.push({ rule: "volatile_in_case", subject: name });
    else if (statementOf(node)?.kind === "UpdateStmt" && VOLATILE.test(name))
      found.push({ rule: "volatile_in_update", subject: name });
    else if (isWritten && isOverColumns(node)) found.push({ rule: "stable_over_columns", subject: name });
  }
  const { targetList, valuesLists, op } = fields;
  if (kind === "SelectStmt" && op === "SETOP_NONE" && !(targetList ?? valuesLists))
    found.push({ rule: "empty_select_list", subject: "select" });
  if (kind === "GroupingSet") found.push({ rule: "grouping_sets", subject: "group by" });
  return found;
}

/** Whether SET computes a value from a column by the function, or by arithmetic with its result, which is as stable. */
function isOverColumns(node: Node): boolean {
  const index = node.around.findIndex(({ kind }) => kind === "ResTarget");
  if (node.around[index + 1]?.kind !== "UpdateStmt") return false;
  const computed = [node, ...node.around.slice(0, index).filter(isArithmetic)];
  // A column in COALESCE or CASE is no argument: what those return is.
  const isArgument = ({ kind, around }: Node) => kind === "ColumnRef" && !around.some(isChoice);
  return computed.some(({ fields }) => nodesOf(fields).some(isArgument));
}

const isChoice = ({ kind }: Node) => kind === "CaseExpr" || kind === "CoalesceExpr";

const isArithmetic = ({ kind, fields }: Node) =>
  kind === "A_Expr" && /^[-+]$/.test(fields.name[0].String.sval);

/** A table, or rows that are computed or given, in a statement. */
interface Source {
  name: string;
  /** Whether it is a table of organisations. */
  isTable: boolean;
  table: string;
  /** Whether its statement reads one organisation, several, or all that there are. */
  reads: "one" | "several" | "all";
}

/** A value that another equals, or is in: of a column, or anything else. */
interface Equation {
  sides: readonly [Fields, Fields];
  isOne: boolean;
}

const isStatement = ({ kind }: Node) => /^(?:Select|Update|Delete)Stmt$/.test(kind);

function crossings(node: Node, tables: OrganisationTables): StatementFinding[] {
  if (!isStatement(node)) return [];
  const own = readingsOf(node, tables).filter(({ isTable }) => isTable);
  const { lockingClause = [] } = node.fields;
  const locked: string[] = lockingClause.flatMap(({ LockingClause: { lockedRels } }: Fields) =>
    lockedRels === undefined
      ? own.map(({ name }) => name)
      : lockedRels.map((each: Fields) => each.RangeVar.relname),
  );
  return own.flatMap(({ name, table: subject, reads }) => [
    ...(reads === "all" ? [{ rule: "crosses_organisations", subject } as const] : []),
    ...(reads !== "one" && locked.includes(name) ? [{ rule: "locks_organisations", subject } as const] : []),
  ]);
}

/** Returns the sources of a statement: which of them are held to one organisation, by a parameter or by another source. */
function readingsOf(
  { fields, around }: Node,
  tables: OrganisationTables,
  outerTables: Source["reads"] = "one",
): Source[] {
  const own = sourcesOf(fromOf(fields), tables);
  const outer = around.filter(isStatement).flatMap((node) => sourcesOf(fromOf(node.fields), tables));
  // What the outer statement reads is found there.
  const outside = outer.map(
    (source): Source => ({ ...source, reads: source.isTable ? outerTables : "several" }),
  );
  const equations = [...equationsOf(fields.whereClause), ...nodesOf(fromOf(fields)).flatMap(equationsOfJoin)];
  // What holds one source holds those that equal it.
  for (const _ of own) for (const equation of equations) narrow(equation, own, outside);
  return own;
}

const fromOf = ({ relation, fromClause, usingClause }: Fields): Fields[] => [
  relation && { RangeVar: relation },
  fromClause,
  usingClause,
];

function sourcesOf(item: Fields, tables: OrganisationTables): Source[] {
  if (item === undefined) return [];
  if (Array.isArray(item)) return item.flatMap((each) => sourcesOf(each, tables));
  if (item.JoinExpr) return sourcesOf([item.JoinExpr.larg, item.JoinExpr.rarg], tables);
  const range: Fields = Object.values(item)[0];
  const isTable = tables.has(range.relname);
  const name: string = range.alias?.aliasname ?? range.relname;
  return [{ name, table: range.relname ?? name, isTable, reads: isTable ? "all" : "several" }];
}

const isEqual = ({ name }: Fields): boolean => name[0].String.sval === "=";

/** The equations that a condition consists of: not those of an alternative. */
function equationsOf(condition: Fields): Equation[] {
  const { BoolExpr: all, A_Expr: one, SubLink: query } = condition ?? {};
  if (all?.boolop === "AND_EXPR") return all.args.flatMap(equationsOf);
  if (query?.subLinkType === "ANY_SUBLINK") return equate(query.testexpr, undefined, false);
  if (one === undefined || !isEqual(one)) return [];
  const { kind, lexpr, rexpr } = one;
  if (kind === "AEXPR_OP") return equate(lexpr, rexpr, true);
  return kind === "AEXPR_IN" || kind === "AEXPR_OP_ANY" ? equate(lexpr, undefined, false) : [];
}

/** Those of the columns, for rows. */
function equate(left: Fields, right: Fields, isOne: boolean): Equation[] {
  const columns: Fields[] | undefined = left?.RowExpr?.args;
  if (columns === undefined) return [{ sides: [left, right], isOne }];
  return columns.map((column, index) => ({ sides: [column, right?.RowExpr?.args[index]], isOne }));
}

function equationsOfJoin({ kind, fields }: Node): Equation[] {
  if (kind !== "JoinExpr") return [];
  const using = (fields.usingClause ?? []).map((name: Fields) => ({ ColumnRef: { fields: [name] } }));
  return [
    ...equationsOf(fields.quals),
    ...using.map((column: Fields) => ({ sides: [column, column], isOne: true })),
  ];
}

const ORGANISATION = /^provider(?:_id|Id)?$/;

/** The sources that a value belongs to if it is the id of an organisation: all tables for a column that they share. */
function ownersOf(value: Fields, sources: readonly Source[]): Source[] {
  const path: string[] = (value?.ColumnRef?.fields ?? []).map((each: Fields) => each.String?.sval);
  if (!ORGANISATION.test(path.at(-1) ?? "")) return [];
  return sources.filter(({ name, isTable }) => (path.length === 1 ? isTable : name === path.at(-2)));
}

const isParameter = (value: Fields): boolean =>
  value?.ParamRef !== undefined ||
  value?.A_Const !== undefined ||
  (value?.TypeCast && isParameter(value.TypeCast.arg));

const WIDTH = { one: 0, several: 1, all: 2 } as const;

function narrow({ sides, isOne }: Equation, own: readonly Source[], outside: readonly Source[]): void {
  const owners = sides.map((side) => ownersOf(side, own));
  const others = sides.flatMap((side, index) => (owners[index]?.length ? [] : [ownersOf(side, outside)]));
  const isWithinOne = isOne && sides.some(isParameter);
  const isOfUnknown = others.some((each) => each.length === 0);
  const found = [...owners, ...others].flat().map(({ reads }) => reads);
  const narrowest = found.includes("one") ? "one" : found.includes("several") ? "several" : "all";
  const reads = isWithinOne ? "one" : !isOne || isOfUnknown ? "several" : narrowest;
  for (const source of owners.flat())
    if (source.isTable && WIDTH[reads] < WIDTH[source.reads]) source.reads = reads;
}
