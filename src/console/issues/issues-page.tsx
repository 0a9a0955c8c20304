import "./issues.css";
import { useRef } from "preact/hooks";
import type { Issue, IssueCode, IssueCounts } from "../../../generated/operations/types.ts";
import { issueCodes, issueText, issueTitle, subjectText } from "../../contract/operator-text.ts";
import type { Column } from "../components/cells.tsx";
import {
  anyText,
  FilterForm,
  OrganisationFilter,
  oneOf,
  SelectFilter,
  useFilter,
} from "../components/filters.tsx";
import { SaveCsv } from "../components/save-csv.tsx";
import { PageHead } from "../components/section.tsx";
import { Empty, PagedList } from "../components/table.tsx";
import { countText } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useIssueCounts } from "../data/issue-counts.ts";
import { type Names, useNames } from "../data/names.ts";
import { type PageQuery, usePages } from "../data/pages.ts";
import { me } from "../session/me.ts";
import { GroupCard, ISSUE_LIST } from "./issue-actions.tsx";
import { IssueList } from "./issue-list.tsx";

const FILTER = {
  providerId: anyText,
  code: oneOf(issueCodes),
  state: oneOf(["snoozed", "resolved"] as const),
  assignedTo: anyText,
};
const STATES = [
  ["snoozed", "Snoozed"],
  ["resolved", "Closed"],
] as const;

/** The problems that need an operator by their causes, the most urgent first. */
export function IssuesPage() {
  const { filter, set, ...filtering } = useFilter("/console/issues", FILTER);
  const { providerId, code, state, assignedTo } = filter;
  const list = useRef<HTMLElement>(null);
  const key = JSON.stringify(filter);
  const isIssue = ({ type }: { type: string }) => type === "issue";
  const groups = usePages(
    `issue groups ${key}`,
    () => ask(api.listIssueGroups({ params: { query: filter } })),
    isIssue,
  );
  const names = useNames();
  const readPage = (page: PageQuery) => ask(api.listIssues({ params: { query: { ...filter, ...page } } }));
  const counts = useIssueCounts(providerId).data;
  const onDone = () => {
    // The card is gone, and its button with it.
    list.current?.focus();
    groups.reload();
  };
  return (
    <>
      <PageHead title="Issues" />
      <p class="soft issues-lead">
        Problems that need an operator. Most close automatically when their cause is gone. Resolve what you
        have fixed: an issue comes back if its cause remains.
      </p>
      <FilterForm {...filtering}>
        <OrganisationFilter value={providerId} onChange={set("providerId")} />
        <SelectFilter name="Kind" value={code} options={kindsOf(counts, code)} onChange={set("code")} />
        <SelectFilter name="State" value={state} none="Open" options={STATES} onChange={set("state")} />
        <SelectFilter
          name="Assigned to"
          value={assignedTo}
          none="Anyone"
          options={me.value ? [[me.value.name, "Me"]] : []}
          onChange={set("assignedTo")}
        />
      </FilterForm>
      <section ref={list} id={ISSUE_LIST} tabIndex={-1} class="issues" aria-label="Open issues">
        <SaveCsv name="issues" columns={columnsOf(names)} readPage={readPage} />
        {state === "resolved" ? (
          <Closed filter={filter} {...filtering} />
        ) : (
          <PagedList {...{ pages: groups, ...filtering }} one="open issue" empty={<NoIssues />} lines={8}>
            {(items) => (
              <div class="stack">
                {items.map((group) => (
                  <GroupCard key={group.latest.issueId} state={state ?? "open"} {...{ group, onDone }} />
                ))}
              </div>
            )}
          </PagedList>
        )}
      </section>
    </>
  );
}

interface ClosedProps {
  filter: { providerId?: string; code?: IssueCode; assignedTo?: string };
  isFiltered: boolean;
  path: string;
}

/** The issues that are closed, each with its history. */
function Closed({ filter, ...filtering }: ClosedProps) {
  const pages = usePages(
    `closed issues ${JSON.stringify(filter)}`,
    (page) => ask(api.listIssues({ params: { query: { ...filter, ...page } } })),
    ({ type }) => type === "issue",
  );
  return (
    <PagedList {...{ pages, ...filtering }} one="closed issue" empty={<NoIssues />}>
      {(issues) => (
        <div class="panel">
          <IssueList issues={issues} />
        </div>
      )}
    </PagedList>
  );
}

/** Of the file: the page shows issues by their cause. */
const columnsOf = (names: Names): Column<Issue>[] => [
  { name: "Organisation", cell: ({ providerId = "" }) => names.integration(providerId)?.name ?? providerId },
  { name: "Kind", cell: ({ code }) => issueTitle(code) },
  { name: "About", cell: (issue) => issueText(issue).detail },
  { name: "Subject", cell: ({ subject }) => subjectText(subject) },
  { name: "First", cell: ({ firstAt }) => firstAt },
  { name: "Last", cell: ({ lastAt }) => lastAt },
  { name: "Times", cell: ({ count }) => count },
  { name: "Assigned to", cell: ({ assignedTo }) => assignedTo },
  { name: "Job", cell: ({ job }) => job?.jobId },
];

/** The kinds of the open issues, and the one of the filter if no issue of it is open. */
function kindsOf(counts: IssueCounts | undefined, chosen: IssueCode | undefined): [string, string][] {
  const { codes: open, total } = counts ?? { codes: [], total: { exact: true } };
  const isAbsent = chosen !== undefined && !open.some(({ code }) => code === chosen);
  return [
    ...(isAbsent ? [[chosen, issueTitle(chosen)] as [string, string]] : []),
    ...open.map(({ code, count }): [string, string] => [
      code,
      `${issueTitle(code)} (${countText({ count, exact: total.exact })})`,
    ]),
  ];
}

function NoIssues() {
  return (
    <Empty title="No open issues">
      <p>Problems that need an operator appear here immediately, with what to do.</p>
    </Empty>
  );
}
