import type { Issue } from "../../../generated/operations/types.ts";
import { OrganisationFilter } from "../events/event-filters.tsx";
import { codesOf } from "./issue-groups.ts";
import { wordsOf } from "./issue-words.ts";

export interface IssueFilter {
  providerId: string | undefined;
  code: string | undefined;
}

/** Where the issues are shown with this filter. */
export function addressOf({ providerId, code }: IssueFilter): string {
  const query = new URLSearchParams({ ...(providerId && { providerId }), ...(code && { code }) }).toString();
  return query === "" ? "/console/issues" : `/console/issues?${query}`;
}

interface Props {
  filter: IssueFilter;
  /** Those of the organisation: their codes can be chosen. */
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
          {isAbsent && <option value={filter.code}>{wordsOf(filter.code ?? "").title}</option>}
          {codes.map(({ code, count }) => (
            <option key={code} value={code}>
              {wordsOf(code).title} ({count})
            </option>
          ))}
        </select>
      </label>
      {(filter.providerId ?? filter.code) !== undefined && <a href="/console/issues">Show all</a>}
    </form>
  );
}
