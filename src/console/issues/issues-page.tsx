import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { usePages } from "../data/use-pages.ts";
import { More } from "../parts/more.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Shown } from "../parts/shown.tsx";
import { addressOf, type IssueFilter, IssueFilters } from "./issue-filters.tsx";
import { IssueList } from "./issue-list.tsx";
import "./issues.css";

/** Few enough to be read at once, and more than a person can look after. */
const LIMIT = 200;

/** What needs a person, the most urgent first. */
export function IssuesPage() {
  const { query, route } = useLocation();
  const filter: IssueFilter = { providerId: query.providerId, code: query.code };
  const { providerId } = filter;
  const list = useRef<HTMLElement>(null);
  const pages = usePages(
    `issues ${providerId}`,
    (cursor) =>
      ask(api.listIssues({ params: { query: { limit: LIMIT, ...given({ providerId, cursor }) } } })),
    ({ type }) => type === "issue",
  );
  const endResolve = () => {
    // Its button is gone with it.
    list.current?.focus();
    pages.reload();
  };
  return (
    <>
      <PageHead title="Issues" />
      <p class="soft issues-lead">
        What needs a person. Most close by themselves when their cause is gone. Resolve what you took care of:
        an issue comes back if its cause is still there.
      </p>
      <IssueFilters
        filter={filter}
        issues={pages.data ?? []}
        onFilter={(wanted) => route(addressOf(wanted), true)}
      />
      <section ref={list} tabIndex={-1} class="issues" aria-label="Open issues">
        <Shown query={pages} lines={8}>
          {(issues) => <IssueList issues={issues} filter={filter} onResolved={endResolve} />}
        </Shown>
      </section>
      <More pages={pages} />
    </>
  );
}

/** Only what is there: an absent member and an undefined one are not the same to the client. */
function given<T extends Record<string, string | undefined>>(members: T) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [name in keyof T]?: string;
  };
}
