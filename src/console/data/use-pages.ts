import { useRef } from "preact/hooks";
import type { StreamMessage } from "./live.ts";
import { type ReadPage, readPages } from "./pages.ts";
import { type Query, useQuery } from "./use-query.ts";

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
