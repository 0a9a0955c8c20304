import { type Expression, type SelectQueryBuilder, sql } from "kysely";
import { problem } from "../../contract/problem.ts";
import type { Schema } from "../db/schema.ts";
import { isUuid } from "../ids.ts";

export interface PageQuery {
  limit?: number;
  cursor?: string;
}

const DEFAULT_LIMIT = 50;

interface PageOrder<Row> {
  /** The column that orders the rows: the newest first, unless `ascending`. */
  id: keyof Row & string;
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
  { id, ascending = false, where = {} }: PageOrder<Row>,
  toItem: (row: Row) => Item,
): Promise<{ items: Item[]; nextCursor?: string }> {
  const after = cursorOf(cursor);
  let query = (select as SelectQueryBuilder<Schema, never, Row>)
    .orderBy(sql.ref(id), ascending ? "asc" : "desc")
    .limit(limit + 1);
  for (const [column, value] of Object.entries(where))
    if (value !== undefined) query = query.where(sql.ref(column), "=", value);
  if (after !== undefined) query = query.where(sql.ref(id), ascending ? ">" : "<", after);
  const rows = await query.execute();
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return { items: items.map(toItem), ...(isMore && { nextCursor: String(last[id]) }) };
}

function cursorOf(cursor: string | undefined): string | undefined {
  if (cursor === undefined || isUuid(cursor)) return cursor;
  const errors = [{ pointer: "#/query/cursor", message: "must be a nextCursor of this list" }];
  throw problem("validation_failed", { detail: "The page cannot be found.", errors });
}

/** Whether a text contains another, in upper or lower case; true without one. Not a pattern: no character is special. */
export function contains(text: Expression<unknown>, search: string | undefined): Expression<boolean> {
  if (search === undefined) return sql<boolean>`true`;
  return sql<boolean>`position(lower(${search}::text) in lower(${text})) > 0`;
}
