import type { ComponentChildren } from "preact";
import type { Query } from "../data/use-query.ts";
import { ErrorBox } from "./error-box.tsx";

interface Props<T> {
  query: Query<T>;
  /** Space reserved during the first read, so that the page does not jump. Lines of text. */
  lines?: number;
  children(data: T): ComponentChildren;
}

/** Shows the data of a query, its loading state, and its failure. Earlier data stays visible beside a failure. */
export function QueryView<T>({ query, lines = 4, children }: Props<T>) {
  const { data, error, reload } = query;
  return (
    <>
      {error && <ErrorBox error={error} onRetry={reload} />}
      {data !== undefined && children(data)}
      {data === undefined && !error && <Skeleton lines={lines} />}
    </>
  );
}

function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" aria-busy="true">
      <span class="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span class="skeleton-line" key={line} />
      ))}
    </div>
  );
}

/** In place of an empty list: the reason, and how entries get there. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}
