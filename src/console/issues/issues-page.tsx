import { useRef } from "preact/hooks";
import type { Issue, IssueCode } from "../../../generated/operations/types.ts";
import { issueTitle } from "../../contract/operator-text.ts";
import { anyText } from "../components/filter.ts";
import { FilterForm, OrganisationFilter, SelectFilter, useFilter } from "../components/filters.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { Empty } from "../components/query-view.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useNames } from "../data/names.ts";
import { usePages } from "../data/use-pages.ts";
import { useJobIds } from "../events/use-job-ids.ts";
import { IssueCard } from "./issue-card.tsx";
import { codesOf, groupIssues, type IssueGroup } from "./issues.ts";
import { ISSUE_LIST } from "./resolve.tsx";
import "./issues.css";

const FILTER = { providerId: anyText, code: anyText };
/** Read at once; more than an operator can handle. */
const LIMIT = 200;

/** The problems that need an operator, most urgent first. */
export function IssuesPage() {
  const { filter, set, ...filtering } = useFilter("/console/issues", FILTER);
  const { providerId, code } = filter;
  const list = useRef<HTMLElement>(null);
  const all = usePages(
    `issues ${providerId}`,
    (page) =>
      ask(
        api.listIssues({ params: { query: { limit: LIMIT, ...(providerId && { providerId }), ...page } } }),
      ),
    ({ type }) => type === "issue",
  );
  const shown = all.data?.filter((issue) => code === undefined || issue.code === code);
  const onResolved = () => {
    // The card is gone, and its button with it.
    list.current?.focus();
    all.reload();
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
        <SelectFilter
          name="Kind"
          value={code}
          options={kindsOf(all.data ?? [], code)}
          onChange={set("code")}
        />
      </FilterForm>
      <section ref={list} id={ISSUE_LIST} tabIndex={-1} class="issues" aria-label="Open issues">
        <PagedList
          pages={{ ...all, ...(shown && { data: shown }) }}
          {...filtering}
          one="open issue"
          empty={<NoIssues />}
          lines={8}
        >
          {(issues) => (
            <div class="stack">
              {groupIssues(issues).map((group) => (
                <Group key={group.providerId ?? ""} group={group} onResolved={onResolved} />
              ))}
            </div>
          )}
        </PagedList>
      </section>
    </>
  );
}

/** The kinds of the open issues, and the one of the filter if no issue of it is open. */
function kindsOf(issues: readonly Issue[], chosen: string | undefined): [string, string][] {
  const open = codesOf(issues);
  const isAbsent = chosen !== undefined && !open.some(({ code }) => code === chosen);
  return [
    ...(isAbsent ? [[chosen, issueTitle(chosen as IssueCode)] as [string, string]] : []),
    ...open.map(({ code, count }): [string, string] => [code, `${issueTitle(code)} (${count})`]),
  ];
}

function NoIssues() {
  return (
    <Empty title="No open issues">
      <p>Problems that need an operator appear here immediately, with what to do.</p>
    </Empty>
  );
}

function Group({ group: { providerId, issues }, onResolved }: { group: IssueGroup; onResolved(): void }) {
  const names = useNames();
  const jobIdOf = useJobIds(issues.flatMap(shiftsOf));
  const name =
    providerId === undefined ? "The platform" : (names.integration(providerId)?.name ?? providerId);
  const heading = `issues-${providerId ?? "platform"}`;
  return (
    <section class="panel" aria-labelledby={heading}>
      <h2 id={heading}>
        {name} <span class="soft">{issues.length} open</span>
      </h2>
      <ul class="stack">
        {issues.map((issue) => {
          const [shift] = shiftsOf(issue);
          const jobId = shift && jobIdOf(shift);
          return <IssueCard key={issue.issueId} issue={issue} jobId={jobId} onResolved={onResolved} />;
        })}
      </ul>
    </section>
  );
}

function shiftsOf({ providerId, subject: { shiftId } }: Issue) {
  return providerId === undefined || shiftId === undefined ? [] : [{ providerId, shiftId }];
}
