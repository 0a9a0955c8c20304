import type { ComponentChildren } from "preact";
import type { Query } from "../data/use-query.ts";
import { TroubleBox } from "./trouble-box.tsx";

interface Props<T> {
  query: Query<T>;
  /** Space reserved during the first read, so that the page does not jump. Lines of text. */
  lines?: number;
  children(data: T): ComponentChildren;
}

/** Shows the data of a query, its loading state, and its failure. Earlier data stays visible beside a failure. */
export function Shown<T>({ query, lines = 4, children }: Props<T>) {
  const { data, trouble, reload } = query;
  return (
    <>
      {trouble && <TroubleBox trouble={trouble} onRetry={reload} />}
      {data !== undefined && children(data)}
      {data === undefined && !trouble && <Waiting lines={lines} />}
    </>
  );
}

function Waiting({ lines }: { lines: number }) {
  return (
    <div class="waiting" aria-busy="true">
      <span class="unseen">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span class="bone" key={line} />
      ))}
    </div>
  );
}

/** In place of an empty list: why it is empty, and what fills it. */
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
