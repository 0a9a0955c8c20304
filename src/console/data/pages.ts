import { useRef } from "preact/hooks";
import type { StreamMessage } from "./live.ts";
import { type Query, useQuery } from "./use-query.ts";

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

export interface Pages<T> extends Query<T[]> {
  hasMore: boolean;
  showMore(): void;
  /** For the pages beyond those that are shown. */
  readPage: ReadPage<T>;
}

/** A list with more pages on request. Every page that is shown is read again after a change. */
export function usePages<T>(
  key: string,
  readPage: ReadPage<T>,
  concerns?: (message: StreamMessage) => boolean,
): Pages<T> {
  const shown = useRef({ key, pages: 1 });
  if (shown.current.key !== key) shown.current = { key, pages: 1 };
  const { data, ...query } = useQuery(key, () => readPages(readPage, shown.current.pages), concerns);
  return {
    ...query,
    readPage,
    ...(data && { data: data.items }),
    hasMore: data?.hasMore ?? false,
    showMore: () => {
      shown.current.pages += 1;
      query.reload();
    },
  };
}
