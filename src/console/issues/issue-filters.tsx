import type { Issue, IssueCode } from "../../../generated/operations/types.ts";
import { issueTitle } from "../../contract/operator-text.ts";
import { OrganisationFilter } from "../events/event-filters.tsx";
import { addressWith } from "../parts/address.ts";
import { codesOf } from "./issue-groups.ts";

export interface IssueFilter {
  providerId: string | undefined;
  code: string | undefined;
}

/** The address of the issues page with this filter. */
export const addressOf = (filter: IssueFilter): string => addressWith("/console/issues", filter);

interface Props {
  filter: IssueFilter;
  /** The issues of the organisation, whose codes can be selected. */
  issues: readonly Issue[];
  onFilter(filter: IssueFilter): void;
}

export function IssueFilters({ filter, issues, onFilter }: Props) {
  const codes = codesOf(issues);
  const isAbsent = filter.code !== undefined && !codes.some(({ code }) => code === filter.code);
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <OrganisationFilter
        value={filter.providerId}
        onPick={(providerId) => onFilter({ ...filter, providerId })}
      />
      <label class="field">
        <span>Kind</span>
        <select
          value={filter.code ?? ""}
          onChange={(event) => onFilter({ ...filter, code: event.currentTarget.value })}
        >
          <option value="">Any</option>
          {isAbsent && <option value={filter.code}>{issueTitle(filter.code as IssueCode)}</option>}
          {codes.map(({ code, count }) => (
            <option key={code} value={code}>
              {issueTitle(code)} ({count})
            </option>
          ))}
        </select>
      </label>
      {(filter.providerId ?? filter.code) !== undefined && <a href="/console/issues">Show all</a>}
    </form>
  );
}
