import type { Outcome, OutcomeCode } from "../../../generated/operations/types.ts";
import { entryOf } from "../../contract/operator-text.ts";

/** How an entry of the timeline is highlighted. */
export type EntryTone = "echo" | "bad" | "warn" | "good" | "plain";

/** Of every other outcome: plain. */
const BY_CODE: Partial<Record<OutcomeCode, EntryTone>> = {
  stored_unknown_event: "warn",
  shift_unusable: "bad",
  provider_refused: "bad",
  will_retry: "warn",
  will_recheck: "warn",
  integration_paused: "warn",
  disappearance_held: "warn",
  job_expired: "warn",
  echo_of_delete: "echo",
  delete_not_confirmed: "bad",
  provider_unavailable: "bad",
  requeued: "warn",
  unknown_event: "warn",
  booking_confirmed: "good",
  booking_failed: "bad",
  booking_kept: "bad",
  candidate_ambiguous: "bad",
  assigned: "good",
  unassigned: "good",
  cancellation_confirmed: "good",
  cancellation_refused: "bad",
  change_confirmed: "good",
  change_refused: "bad",
};

/** The tone of an outcome. A blocked job is a warning, a filled one a success. */
export function toneOf({ code, params }: Outcome): EntryTone {
  const tone = entryOf(BY_CODE, code) ?? "plain";
  if (tone !== "plain") return tone;
  if (params.jobStatus === "blocked_mapping") return "warn";
  return params.jobStatus === "filled" ? "good" : "plain";
}
