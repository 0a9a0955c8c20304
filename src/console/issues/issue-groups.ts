import type { Issue, IssueCode } from "../../../generated/operations/types.ts";
import { URGENCIES, urgencyOf } from "./urgency.ts";

export interface IssueGroup {
  /** Absent for the issues of no organisation. */
  providerId?: string;
  /** Most urgent first, then most recent. */
  issues: Issue[];
}

/** Groups issues by organisation, in order of the most urgent and then the most recent issue. */
export function groupIssues(issues: readonly Issue[]): IssueGroup[] {
  const groups = Map.groupBy([...issues].sort(byUrgency), ({ providerId }) => providerId);
  // The issues are sorted, so each group starts with its most urgent one, and the groups are in order too.
  return [...groups].map(([providerId, of]) => ({
    ...(providerId !== undefined && { providerId }),
    issues: of,
  }));
}

function byUrgency(one: Issue, other: Issue): number {
  return rankOf(one) - rankOf(other) || Date.parse(other.lastAt) - Date.parse(one.lastAt);
}

const rankOf = ({ code }: Issue) => URGENCIES[urgencyOf(code)].rank;

/** The codes of the issues, most frequent first. */
export function codesOf(issues: readonly Issue[]): { code: IssueCode; count: number }[] {
  const counts = Map.groupBy(issues, ({ code }) => code);
  return [...counts]
    .map(([code, of]) => ({ code, count: of.length }))
    .sort((one, other) => other.count - one.count || one.code.localeCompare(other.code));
}
