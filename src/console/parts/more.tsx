import type { Pages } from "../data/use-pages.ts";

/** At the end of a list of which there is more. */
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
