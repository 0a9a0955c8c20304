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
import { ISSUE_LIST } from "./resolve.tsx";
import "./issues.css";

/** Read at once; more than an operator can handle. */
const LIMIT = 200;

/** The problems that need an operator, most urgent first. */
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
    // The card is gone, and its button with it.
    list.current?.focus();
    pages.reload();
  };
  return (
    <>
      <PageHead title="Issues" />
      <p class="soft issues-lead">
        Problems that need an operator. Most close automatically when their cause is gone. Resolve what you
        have fixed: an issue comes back if its cause remains.
      </p>
      <IssueFilters
        filter={filter}
        issues={pages.data ?? []}
        onFilter={(wanted) => route(addressOf(wanted), true)}
      />
      <section ref={list} id={ISSUE_LIST} tabIndex={-1} class="issues" aria-label="Open issues">
        <Shown query={pages} lines={8}>
          {(issues) => <IssueList issues={issues} filter={filter} onResolved={endResolve} />}
        </Shown>
      </section>
      <More pages={pages} />
    </>
  );
}

/** The members that are defined: the client treats an undefined member as present. */
function given<T extends Record<string, string | undefined>>(members: T) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [name in keyof T]?: string;
  };
}
