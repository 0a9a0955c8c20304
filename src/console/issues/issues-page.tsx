import { useRef } from "preact/hooks";
import type { Issue, IssueCode, IssueCounts } from "../../../generated/operations/types.ts";
import { issueCodes, issueTitle } from "../../contract/operator-text.ts";
import { anyText, oneOf } from "../components/filter.ts";
import { FilterForm, OrganisationFilter, SelectFilter, useFilter } from "../components/filters.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { Empty } from "../components/query-view.tsx";
import { countText } from "../components/times.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useIssueCounts } from "../data/issue-counts.ts";
import { useNames } from "../data/names.ts";
import { usePages } from "../data/use-pages.ts";
import { useJobIds } from "../events/use-job-ids.ts";
import { IssueCard } from "./issue-card.tsx";
import { groupIssues, type IssueGroup } from "./issues.ts";
import { ISSUE_LIST } from "./resolve.tsx";
import "./issues.css";

const FILTER = { providerId: anyText, code: oneOf(issueCodes) };

/** The problems that need an operator, most urgent first. */
export function IssuesPage() {
  const { filter, set, ...filtering } = useFilter("/console/issues", FILTER);
  const { providerId, code } = filter;
  const list = useRef<HTMLElement>(null);
  const pages = usePages(
    `issues ${JSON.stringify(filter)}`,
    (page) => ask(api.listIssues({ params: { query: { ...filter, order: "urgency", ...page } } })),
    ({ type }) => type === "issue",
  );
  const counts = useIssueCounts(providerId).data;
  const onResolved = () => {
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
      <FilterForm {...filtering}>
        <OrganisationFilter value={providerId} onChange={set("providerId")} />
        <SelectFilter name="Kind" value={code} options={kindsOf(counts, code)} onChange={set("code")} />
      </FilterForm>
      <section ref={list} id={ISSUE_LIST} tabIndex={-1} class="issues" aria-label="Open issues">
        <PagedList {...{ pages, ...filtering }} one="open issue" empty={<NoIssues />} lines={8}>
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

function Group({ group: { providerId, issues }, onResolved }: { group: IssueGroup; onResolved(): void }) {
  const names = useNames();
  const jobIdOf = useJobIds(issues.flatMap(shiftsOf));
  const name =
    providerId === undefined ? "The platform" : (names.integration(providerId)?.name ?? providerId);
  const heading = `issues-${providerId ?? "platform"}`;
  return (
    <section class="panel" aria-labelledby={heading}>
      <h2 id={heading}>{name}</h2>
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
