import { types } from "node:util";
import { type Expression, type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Count } from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import { isUuid } from "../../contract/uuid.ts";
import type { Schema } from "../db/schema.ts";

export interface PageQuery {
  limit?: number;
  cursor?: string;
}

export const DEFAULT_LIMIT = 50;

interface PageOrder<Row> {
  /** The unique column that orders the rows: the newest first, unless `ascending`. */
  id: keyof Row & string;
  /** A column that comes before `id` in the order: of times, or of small integers. */
  first?: { column: keyof Row & string; holds: keyof typeof READ };
  ascending?: boolean;
  /** Required values by column; undefined: any value. */
  where?: Record<string, string | undefined>;
}

/**
 * One page of a list; one row more than asked for shows whether there is a next page.
 * @throws ProblemError validation_failed when the cursor is not from this list.
 */
export async function page<Row, Item>(
  select: SelectQueryBuilder<Schema, never, Row> | SelectQueryBuilder<Schema, keyof Schema, Row>,
  { limit = DEFAULT_LIMIT, cursor }: PageQuery,
  { id, first, ascending = false, where = {} }: PageOrder<Row>,
  toItem: (row: Row) => Item,
): Promise<{ items: Item[]; nextCursor?: string }> {
  const columns = first === undefined ? [id] : [first.column, id];
  let query = (select as SelectQueryBuilder<Schema, never, Row>).limit(limit + 1);
  for (const column of columns) query = query.orderBy(sql.ref(column), ascending ? "asc" : "desc");
  for (const [column, value] of Object.entries(where))
    if (value !== undefined)
      query = query.where(sql.ref(column), "=", isFew(column) ? sql.lit(value) : value);
  if (cursor !== undefined) {
    const left = sql`(${sql.join(columns.map((column) => sql.ref(column)))})`;
    const right = sql`(${sql.join(positionOf(cursor, first?.holds))})`;
    query = query.where(ascending ? sql<boolean>`${left} > ${right}` : sql<boolean>`${left} < ${right}`);
  }
  const rows = await query.execute();
  const last = rows[limit - 1];
  // With the row alone: some views take more.
  const items = rows.slice(0, limit).map((row) => toItem(row));
  if (rows.length <= limit || last === undefined) return { items };
  return { items, nextCursor: cursorTo(columns.map((column) => last[column])) };
}

/**
 * Whether the document names every value of a column. Each then has a plan of its own: one plan for all values expects as many rows of
 * each, and would walk through the rows of years to find the few in a rare status.
 */
const isFew = (column: string): boolean => column === "status";

const SEPARATOR = "_";

/** The values of the last row in the order of the page, which a next page starts after. */
export const cursorTo = (values: readonly unknown[]) =>
  values.map((value) => (types.isDate(value) ? value.toISOString() : value)).join(SEPARATOR);

/** Reads the first value of a position; undefined for a text of another list. */
const READ = {
  times: (text: string) =>
    /^\d{4}-.*Z$/.test(text) && !Number.isNaN(Date.parse(text)) ? new Date(text) : undefined,
  ranks: (text: string) => (/^\d{1,2}$/.test(text) ? Number(text) : undefined),
} as const;

/** @throws ProblemError validation_failed when the cursor is not from this list. */
export function positionOf(cursor: string, holds?: keyof typeof READ): (string | number | Date)[] {
  const [id = "", ...before] = cursor.split(SEPARATOR).reverse();
  const first = before.flatMap((text) => (holds && READ[holds](text)) ?? []);
  const isOfList = before.length === (holds ? 1 : 0) && first.length === before.length;
  if (isUuid(id) && isOfList) return [...first, id];
  throw foreignCursor();
}

export function foreignCursor(): Error {
  const errors = [{ pointer: "#/query/cursor", message: "must be a nextCursor of this list" }];
  return problem("validation_failed", { detail: "The page cannot be found.", errors });
}

/** The number of rows of a select, as SQL. It stops one above `most`, so that it costs the same in a table of any size. */
export const countBeyond = (most: number, rows: RawBuilder<unknown>): RawBuilder<number> =>
  sql<number>`(select count(*)::integer from (${rows} limit ${sql.lit(most + 1)}) as counted)`;

/** A count as the operations document has it, from one that stops above `most`. */
export const countOf = (counted: number, most: number): Count => ({
  count: Math.min(counted, most),
  exact: counted <= most,
});

/** Whether a text contains another, in upper or lower case; true without one. Not a pattern: no character is special. */
export function contains(text: Expression<unknown>, search: string | undefined): Expression<boolean> {
  if (search === undefined) return sql<boolean>`true`;
  return sql<boolean>`position(lower(${search.normalize("NFC")}::text) in lower(${text})) > 0`;
}
