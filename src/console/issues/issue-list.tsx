import type { Issue } from "../../../generated/operations/types.ts";
import { useNames } from "../data/names.ts";
import { useJobIds } from "../events/use-job-ids.ts";
import { Empty } from "../parts/shown.tsx";
import { IssueCard } from "./issue-card.tsx";
import type { IssueFilter } from "./issue-filters.tsx";
import { groupIssues, type IssueGroup } from "./issue-groups.ts";

interface Props {
  issues: readonly Issue[];
  filter: IssueFilter;
  onResolved(): void;
}

/** The open issues, grouped by organisation. */
export function IssueList({ issues, filter, onResolved }: Props) {
  const shown = issues.filter(({ code }) => filter.code === undefined || code === filter.code);
  if (shown.length === 0) return <NoIssues isFiltered={(filter.providerId ?? filter.code) !== undefined} />;
  return (
    <div class="stack">
      {groupIssues(shown).map((group) => (
        <Group key={group.providerId ?? ""} group={group} onResolved={onResolved} />
      ))}
    </div>
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

function NoIssues({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No open issue matches the filters">
        <p>
          Change the filters, or <a href="/console/issues">show all issues</a>.
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No open issues">
      <p>Problems that need an operator appear here immediately, with what to do.</p>
    </Empty>
  );
}
