import type { Issue } from "../../../generated/operations/types.ts";
import { URGENCIES, wordsOf } from "./issue-words.ts";

export interface IssueGroup {
  /** Absent for what is of no organisation. */
  providerId?: string;
  /** The most urgent first, of those the most recent. */
  issues: Issue[];
}

/** By organisation: the one with the most urgent issue first, of equal ones that with the most recent. */
export function groupIssues(issues: readonly Issue[]): IssueGroup[] {
  const groups = Map.groupBy([...issues].sort(byUrgency), ({ providerId }) => providerId);
  // Sorted as they are, the first issue of each group is its most urgent, and the groups come in the right order.
  return [...groups].map(([providerId, of]) => ({
    ...(providerId !== undefined && { providerId }),
    issues: of,
  }));
}

function byUrgency(one: Issue, other: Issue): number {
  return rankOf(one) - rankOf(other) || Date.parse(other.lastAt) - Date.parse(one.lastAt);
}

const rankOf = ({ code }: Issue) => URGENCIES[wordsOf(code).urgency].rank;

/** The codes that there are, those with the most issues first. */
export function codesOf(issues: readonly Issue[]): { code: string; count: number }[] {
  const counts = Map.groupBy(issues, ({ code }) => code);
  return [...counts]
    .map(([code, of]) => ({ code, count: of.length }))
    .sort((one, other) => other.count - one.count || one.code.localeCompare(other.code));
}
