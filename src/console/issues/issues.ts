import type { Issue, IssueCode } from "../../../generated/operations/types.ts";
import { entryOf } from "../../contract/operator-text.ts";
import type { Tone } from "../components/badge.tsx";

/** How soon an operator should act. */
export type Urgency = "urgent" | "normal" | "low";

export const URGENCIES: Readonly<Record<Urgency, { name: string; tone: Tone; rank: number }>> = {
  urgent: { name: "Urgent", tone: "bad", rank: 0 },
  normal: { name: "Needs attention", tone: "warn", rank: 1 },
  low: { name: "Low priority", tone: "plain", rank: 2 },
};

const BY_CODE = {
  token_rejected: "urgent",
  mass_disappearance: "urgent",
  provider_down: "urgent",
  provider_implausible: "urgent",
  route_missing: "urgent",
  provider_refused: "urgent",
  provider_gave_no_answer: "urgent",
  shift_overfilled: "urgent",
  booking_failed: "urgent",
  booking_overlaps: "urgent",
  competence_missing: "urgent",
  unassign_failed: "urgent",
  candidate_ambiguous: "urgent",
  cancellation_refused: "urgent",
  outlet_not_mapped: "normal",
  role_not_mapped: "normal",
  shift_unusable: "normal",
  delete_not_confirmed: "normal",
  change_refused: "normal",
  notification_failed: "normal",
  restored: "normal",
  provider_quiet: "normal",
  provider_check: "low",
  provider_check_failed: "low",
} satisfies Record<IssueCode, Urgency>;

export function urgencyOf(code: IssueCode): Urgency {
  return entryOf<Urgency>(BY_CODE, code) ?? "normal";
}

export interface IssueGroup {
  /** Absent for issues of the platform itself. */
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
