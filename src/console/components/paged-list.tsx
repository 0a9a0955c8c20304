import type { ComponentChildren } from "preact";
import type { Pages } from "../data/use-pages.ts";
import { Empty, QueryView } from "./query-view.tsx";

interface ListProps<T> {
  pages: Pages<T>;
  /** One of the items: `event`. */
  one: string;
  /** Of `useFilter`. */
  isFiltered: boolean;
  path: string;
  /** In place of an empty list without filters. */
  empty: ComponentChildren;
  lines?: number;
  children(items: T[]): ComponentChildren;
}

/** A list with its filters applied, and the button for its next page. */
export function PagedList<T>({ pages, one, isFiltered, path, empty, lines = 12, children }: ListProps<T>) {
  const none = isFiltered ? <NoMatch one={one} path={path} /> : empty;
  return (
    <>
      <QueryView query={pages} lines={lines}>
        {(items) => (items.length === 0 ? none : children(items))}
      </QueryView>
      <More pages={pages} />
    </>
  );
}

function NoMatch({ one, path }: Pick<ListProps<never>, "one" | "path">) {
  return (
    <Empty title={`No ${one} matches the filters`}>
      <p>
        Change the filters, or <a href={path}>reset them</a>.
      </p>
    </Empty>
  );
}

/** The button at the end of a list that has more pages. */
export function More<T>({ pages }: { pages: Pages<T> }) {
  if (!pages.hasMore) return null;
  return (
    <p class="more">
      <button
        type="button"
        onClick={() => !pages.isLoading && pages.showMore()}
        {...(pages.isLoading && { "aria-disabled": true })}
      >
        Show more
      </button>
    </p>
  );
}
