export interface Page<T> {
  items: T[];
  nextCursor?: string;
}

/** The part of a list's query that selects the page. */
export interface PageQuery {
  cursor?: string;
  limit?: number;
}

export type ReadPage<T> = (page: PageQuery) => Promise<Page<T>>;

/** The first pages of a list, and where the rest begins. */
export async function readPages<T>(readPage: ReadPage<T>, most = Number.POSITIVE_INFINITY) {
  const items: T[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < most && (page === 0 || cursor !== undefined); page += 1) {
    const read = await readPage(cursor === undefined ? {} : { cursor });
    items.push(...read.items);
    cursor = read.nextCursor;
  }
  return { items, hasMore: cursor !== undefined, nextCursor: cursor };
}
