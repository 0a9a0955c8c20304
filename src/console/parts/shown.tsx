import type { ComponentChildren } from "preact";
import type { Query } from "../data/use-query.ts";
import { TroubleBox } from "./trouble-box.tsx";

interface Props<T> {
  query: Query<T>;
  /** Room that is kept while it is read for the first time, so that nothing jumps. Lines of text. */
  lines?: number;
  children(data: T): ComponentChildren;
}

/** What a query read, while it is read, and when it could not be. What was read before stays beside a new trouble. */
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

/** Where a list will be: why there is nothing yet, and what makes something come. */
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
