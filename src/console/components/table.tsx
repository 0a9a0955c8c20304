import type { ComponentChildren } from "preact";
import type { Pages } from "../data/pages.ts";
import type { Query } from "../data/use-query.ts";
import { Cells, type Column } from "./cells.tsx";
import { SaveCsv, type SavedList } from "./save-csv.tsx";
import { ErrorBox } from "./section.tsx";

interface Props<Row> {
  /** Read out by screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
  /** The class of a table with styles of its own. */
  name?: string;
  /** Of a list, which can be saved. */
  saved?: SavedList<Row>;
}

export function Table<Row>({ saved, ...table }: Props<Row>) {
  return (
    <>
      {saved && <SaveCsv {...saved} columns={table.columns} />}
      <Rows {...table} />
    </>
  );
}

function Rows<Row>({ caption, columns, rows, keyOf, name = "" }: Omit<Props<Row>, "saved">) {
  return (
    <table class={`cards ${name}`}>
      <caption class="visually-hidden">{caption}</caption>
      <TableHead columns={columns} />
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <Cells columns={columns} row={row} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function TableHead({ columns }: { columns: readonly Omit<Column<never>, "cell">[] }) {
  return (
    <thead>
      <tr>
        {columns.map(({ name, isNumber, isActions }) => (
          <th key={name} scope="col" {...(isNumber && { class: "number" })}>
            {isActions ? <span class="visually-hidden">{name}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

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

interface QueryViewProps<T> {
  query: Query<T>;
  /** Space reserved during the first read, so that the page does not jump. Lines of text. */
  lines?: number;
  children(data: T): ComponentChildren;
}

/** Shows the data of a query, its loading state, and its failure. Earlier data stays visible beside a failure. */
export function QueryView<T>({ query, lines = 4, children }: QueryViewProps<T>) {
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
