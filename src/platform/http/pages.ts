import { problem } from "../../contract/problem.ts";

export interface PageQuery {
  limit?: number;
  cursor?: string;
}

const DEFAULT_LIMIT = 50;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One row more than asked for tells whether there is a next page. */
export const rowsFor = ({ limit = DEFAULT_LIMIT }: PageQuery): number => limit + 1;

/**
 * The id after which the page starts.
 * @throws ProblemError validation_failed when the cursor is none of ours.
 */
export function cursorOf({ cursor }: PageQuery): string | undefined {
  if (cursor === undefined || UUID.test(cursor)) return cursor;
  const errors = [{ pointer: "#/query/cursor", message: "must be a nextCursor of this list" }];
  throw problem("validation_failed", { detail: "The page cannot be found.", errors });
}

/** @param idOf the id by which the rows are in order. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  { limit = DEFAULT_LIMIT }: PageQuery,
  idOf: (row: Row) => string,
  toItem: (row: Row) => Item,
): { items: Item[]; nextCursor?: string } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const items = shown.map(toItem);
  return rows.length > limit && last !== undefined ? { items, nextCursor: idOf(last) } : { items };
}
