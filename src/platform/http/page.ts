import { type Expression, type SelectQueryBuilder, sql } from "kysely";
import { problem } from "../../contract/problem.ts";
import { isUuid } from "../../contract/uuid.ts";
import type { Schema } from "../db/schema.ts";

export interface PageQuery {
  limit?: number;
  cursor?: string;
}

const DEFAULT_LIMIT = 50;

interface PageOrder<Row> {
  /** The unique column that orders the rows: the newest first, unless `ascending`. */
  id: keyof Row & string;
  /** A column of times that comes before `id` in the order. */
  time?: keyof Row & string;
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
  { id, time, ascending = false, where = {} }: PageOrder<Row>,
  toItem: (row: Row) => Item,
): Promise<{ items: Item[]; nextCursor?: string }> {
  const columns = time === undefined ? [id] : [time, id];
  let query = (select as SelectQueryBuilder<Schema, never, Row>).limit(limit + 1);
  for (const column of columns) query = query.orderBy(sql.ref(column), ascending ? "asc" : "desc");
  for (const [column, value] of Object.entries(where))
    if (value !== undefined)
      query = query.where(sql.ref(column), "=", isFew(column) ? sql.lit(value) : value);
  if (cursor !== undefined) {
    const left = sql`(${sql.join(columns.map((column) => sql.ref(column)))})`;
    const right = sql`(${sql.join(positionOf(cursor, time !== undefined))})`;
    query = query.where(ascending ? sql<boolean>`${left} > ${right}` : sql<boolean>`${left} < ${right}`);
  }
  const rows = await query.execute();
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length <= limit || last === undefined) return { items: items.map(toItem) };
  return { items: items.map(toItem), nextCursor: cursorTo(columns.map((column) => last[column])) };
}

/**
 * Whether the document names every value of a column. Each then has a plan of its own: one plan for all values expects as many rows of
 * each, and would walk through the rows of years to find the few in a rare status.
 */
const isFew = (column: string): boolean => column === "status";

const SEPARATOR = "_";

/** The values of the last row in the order of the page, which a next page starts after. */
const cursorTo = (values: readonly unknown[]) =>
  values.map((value) => (value instanceof Date ? value.toISOString() : value)).join(SEPARATOR);

function positionOf(cursor: string, hasTime: boolean): (string | Date)[] {
  const values = cursor.split(SEPARATOR);
  const id = values.pop() ?? "";
  const times = values.map((value) => new Date(value));
  const isOfList = isUuid(id) && times.length === (hasTime ? 1 : 0);
  if (isOfList && times.every((time) => !Number.isNaN(time.getTime()))) return [...times, id];
  const errors = [{ pointer: "#/query/cursor", message: "must be a nextCursor of this list" }];
  throw problem("validation_failed", { detail: "The page cannot be found.", errors });
}

/** Whether a text contains another, in upper or lower case; true without one. Not a pattern: no character is special. */
export function contains(text: Expression<unknown>, search: string | undefined): Expression<boolean> {
  if (search === undefined) return sql<boolean>`true`;
  return sql<boolean>`position(lower(${search}::text) in lower(${text})) > 0`;
}
