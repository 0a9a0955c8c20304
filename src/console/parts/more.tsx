import type { Pages } from "../data/use-pages.ts";

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
