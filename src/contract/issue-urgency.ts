import type { IssueCode } from "../../generated/operations/types.ts";

/** How soon an operator should act, the most urgent first. */
export const URGENCIES = ["urgent", "normal", "low"] as const;
export type Urgency = (typeof URGENCIES)[number];

/** The index issues_urgency has the same rule: a change needs a migration that creates it again. */
export const URGENCY_OF = {
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
  candidate_id_shared: "urgent",
  candidate_number_changed: "urgent",
  assigned_as_another: "urgent",
  cancellation_refused: "urgent",
  outlet_not_mapped: "normal",
  role_not_mapped: "normal",
  shift_unusable: "normal",
  delete_not_confirmed: "normal",
  change_refused: "normal",
  notification_failed: "normal",
  restored: "normal",
  provider_quiet: "normal",
  address_shared: "normal",
  provider_check: "low",
  provider_check_failed: "low",
} satisfies Record<IssueCode, Urgency>;
