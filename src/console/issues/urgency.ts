import type { IssueCode } from "../../../generated/operations/types.ts";
import { entryOf } from "../../contract/operator-text.ts";
import type { Tone } from "../parts/badge.tsx";

/** How soon an operator should act. */
export type Urgency = "now" | "soon" | "later";

const BY_CODE = {
  token_rejected: "now",
  mass_disappearance: "now",
  provider_down: "now",
  provider_implausible: "now",
  provider_refused: "now",
  provider_gave_no_answer: "now",
  shift_overfilled: "now",
  booking_failed: "now",
  booking_overlaps: "now",
  competence_missing: "now",
  unassign_failed: "now",
  candidate_ambiguous: "now",
  cancellation_refused: "now",
  outlet_not_mapped: "soon",
  role_not_mapped: "soon",
  shift_unusable: "soon",
  delete_not_confirmed: "soon",
  change_refused: "soon",
  notification_failed: "soon",
  restored: "soon",
  provider_quiet: "soon",
  provider_check: "later",
  provider_check_failed: "later",
} satisfies Record<IssueCode, Urgency>;

export function urgencyOf(code: IssueCode): Urgency {
  return entryOf<Urgency>(BY_CODE, code) ?? "soon";
}

export const URGENCIES: Readonly<Record<Urgency, { name: string; tone: Tone; rank: number }>> = {
  now: { name: "Now", tone: "bad", rank: 0 },
  soon: { name: "Soon", tone: "warn", rank: 1 },
  later: { name: "Later", tone: "plain", rank: 2 },
};
