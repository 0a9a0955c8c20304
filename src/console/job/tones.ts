import type { Outcome, OutcomeCode } from "../../../generated/operations/types.ts";
import { entryOf } from "../../contract/operator-text.ts";

/** How an entry of the timeline is highlighted. */
export type EntryTone = "echo" | "bad" | "warn" | "good" | "plain";

const BY_CODE = {
  stored: "plain",
  stored_unknown_event: "warn",
  shift_read: "plain",
  shift_absent: "plain",
  shift_unusable: "bad",
  provider_refused: "bad",
  will_retry: "warn",
  will_recheck: "warn",
  integration_paused: "warn",
  disappearance_held: "warn",
  job_created: "plain",
  job_updated: "plain",
  job_unchanged: "plain",
  job_reopened: "plain",
  job_cancelled: "plain",
  job_expired: "warn",
  no_job: "plain",
  already_cancelled: "plain",
  shift_over: "plain",
  covered_by: "plain",
  echo_of_delete: "echo",
  delete_not_confirmed: "bad",
  provider_unavailable: "bad",
  requeued: "warn",
  unknown_event: "warn",
  candidates_matched: "plain",
  notified: "plain",
  offers_withdrawn: "plain",
  seat_reserved: "plain",
  withdrawal_requested: "plain",
  booking_confirmed: "good",
  booking_released: "plain",
  booking_failed: "bad",
  booking_kept: "bad",
  candidate_found: "plain",
  candidate_created: "plain",
  candidate_ambiguous: "bad",
  assigned: "good",
  unassigned: "good",
  seen_assigned: "plain",
  seen_unassigned: "plain",
  cancellation_requested: "plain",
  cancellation_confirmed: "good",
  cancellation_refused: "bad",
  change_requested: "plain",
  change_confirmed: "good",
  change_refused: "bad",
  registry_imported: "plain",
} satisfies Record<OutcomeCode, EntryTone>;

/** The tone of an outcome. A blocked job is a warning, a filled one a success. */
export function toneOf({ code, params }: Outcome): EntryTone {
  const tone = entryOf<EntryTone>(BY_CODE, code) ?? "plain";
  if (tone !== "plain") return tone;
  if (params.jobStatus === "blocked_mapping") return "warn";
  return params.jobStatus === "filled" ? "good" : "plain";
}
