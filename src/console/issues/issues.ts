import type { Issue, IssueCode } from "../../../generated/operations/types.ts";
import { URGENCY_OF, type Urgency } from "../../contract/issue-urgency.ts";
import { entryOf } from "../../contract/operator-text.ts";
import type { Tone } from "../components/badge.tsx";

export const URGENCIES: Readonly<Record<Urgency, { name: string; tone: Tone }>> = {
  urgent: { name: "Urgent", tone: "bad" },
  normal: { name: "Needs attention", tone: "warn" },
  low: { name: "Low priority", tone: "plain" },
};

export function urgencyOf(code: IssueCode): Urgency {
  return entryOf<Urgency>(URGENCY_OF, code) ?? "normal";
}

export interface IssueGroup {
  /** Absent for issues of the platform itself. */
  providerId?: string;
  issues: Issue[];
}

/** Groups issues by organisation. The groups, and the issues in each, keep the order of the list. */
export function groupIssues(issues: readonly Issue[]): IssueGroup[] {
  const groups = Map.groupBy(issues, ({ providerId }) => providerId);
  return [...groups].map(([providerId, of]) => ({
    ...(providerId !== undefined && { providerId }),
    issues: of,
  }));
}
