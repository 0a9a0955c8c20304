import type { Outcome, OutcomeCode, Params, StepName } from "../../../generated/operations/types.ts";
import { attemptsSuffix, failureSuffix, failureText, faultText, knownFailure } from "./failure.ts";
import { after, capitalised, counted, entryOf, inParentheses, waitText } from "./phrases.ts";
import { bookingReasonText, changeReasonText } from "./reasons.ts";
import { jobStatusText, notificationText, stepText } from "./status.ts";

type Text = (params: Params, step?: StepName) => string;

const OUTCOMES = {
  stored: ({ event }) => `Stored${after(": ", event)}`,
  stored_unknown_event: ({ event }) =>
    `Stored and ignored: the contract has no event ${event ?? "of this name"}`,
  shift_read: ({ variant, warnings = [] }) =>
    `Shift read${inParentheses(variant && `variant ${variant.toUpperCase()}`)}${warningCount(warnings.length)}`,
  shift_absent: (params) => `The provider does not have the shift${failureSuffix(params)}`,
  shift_unusable: (params) => `Shift unusable${after(": ", faultText(params))}`,
  provider_refused: (params, step) =>
    `${callText(step)} refused by the provider${after(": ", knownFailure(params))}`,
  will_retry: ({ afterMs, attempts, ...params }) =>
    `Will retry${waitSuffix(afterMs)}: ${failureText(params)}${inParentheses(attempts === undefined ? undefined : `attempt ${attempts}`)}`,
  will_recheck: ({ afterMs, recheck }) =>
    `Will recheck${waitSuffix(afterMs)}${after(": ", recheck && (entryOf(RECHECKS, recheck) ?? recheck))}`,
  integration_paused: (params) => `Waiting: calls to the provider are paused${failureSuffix(params)}`,
  disappearance_held: () => "Deletion held: many shifts of the provider disappeared at once",
  job_created: (params) => jobText("created", params),
  job_updated: (params) => jobText("updated", params),
  job_unchanged: (params) => jobText("unchanged", params),
  job_reopened: (params) => jobText("reopened", params),
  job_cancelled: ({ reason }) => `Job cancelled${after(": ", reason && bookingReasonText(reason))}`,
  job_expired: () => "Job expired: the shift has started",
  no_job: () => "No change: the shift has no job",
  already_cancelled: () => "No change: the job is already cancelled",
  shift_over: () => "No change: the shift is over",
  covered_by: ({ event }) => `Covered by the same read${after(" as ", event)}`,
  echo_of_delete: () => "Skipped: echo of the platform's DELETE",
  delete_not_confirmed: () => "Deletion not confirmed: the provider still shows the shift",
  provider_unavailable: ({ attempts, ...params }) =>
    `No usable response${attemptsSuffix(attempts)}${after(": ", knownFailure(params))}`,
  requeued: ({ event }) => `Queued again${after(": ", event)}`,
  unknown_event: ({ event }) => `Ignored: the contract has no event ${event ?? "of this name"}`,
  candidates_matched: (params) => matchText(params),
  notified: ({ count, kind }) =>
    `${capitalised(counted(count, "candidate"))} notified${after(": ", kind && notificationText(kind))}`,
  offers_withdrawn: ({ count }) => `${capitalised(counted(count, "offer"))} withdrawn`,
  seat_reserved: () => "Seat reserved",
  withdrawal_requested: () => "Withdrawal requested",
  booking_confirmed: () => "Booking confirmed",
  booking_released: ({ reason, ...params }) =>
    `Booking released${after(": ", reason && bookingReasonText(reason, params))}`,
  booking_failed: ({ reason, ...params }) =>
    `Booking failed${after(": ", reason && bookingReasonText(reason, params))}`,
  booking_kept: (params) =>
    `Booking kept: the provider did not unassign the candidate${failureSuffix(params)}`,
  candidate_found: () => "Candidate found at the provider",
  candidate_created: () => "Candidate created at the provider",
  candidate_ambiguous: ({ count }) => `Candidate ambiguous: ${count ?? "several"} matches at the provider`,
  assigned: () => "Assigned at the provider",
  unassigned: () => "Unassigned at the provider",
  seen_assigned: () => "Found on the provider's list of assigned people",
  seen_unassigned: () => "Not on the provider's list of assigned people",
  cancellation_requested: () => "Cancellation requested",
  cancellation_confirmed: () => "Cancellation confirmed by the provider",
  cancellation_refused: (params) => `Cancellation refused${after(": ", knownFailure(params))}`,
  change_requested: () => "Change requested",
  change_confirmed: () => "Change confirmed by the provider",
  change_refused: ({ changeReason, ...params }) =>
    `Change refused${after(": ", changeReason ? changeReasonText(changeReason, params) : knownFailure(params))}`,
  registry_imported: (params) => registryText(params),
} satisfies Record<OutcomeCode, Text>;

/**
 * The outcome of a step of a trace or of the processing of an event: a short phrase for a timeline.
 * @param step the step, if it is not shown beside the phrase.
 */
export function outcomeText({ code, params }: Outcome, step?: StepName): string {
  return entryOf<Text>(OUTCOMES, code)?.(params, step) ?? code;
}

const RECHECKS = {
  still_visible: "the provider still shows the shift",
  unchanged: "the shift is unchanged",
  absent: "the provider does not have the shift",
  reappeared: "the provider shows the shift again, which was just gone",
} satisfies Record<NonNullable<Params["recheck"]>, string>;

const CALLS: ReadonlySet<StepName> = new Set([
  "fetch",
  "candidate",
  "assign",
  "unassign",
  "cancel",
  "change",
]);

function callText(step: StepName | undefined): string {
  return step !== undefined && CALLS.has(step) ? stepText(step) : "Call";
}

function jobText(change: string, { jobStatus }: Params): string {
  return `Job ${change}${after(": ", jobStatus && jobStatusText(jobStatus))}`;
}

function matchText({ free, offered = 0 }: Params): string {
  const offers = offered > 0 ? `, ${offered} with an offer` : "";
  return `${capitalised(counted(free, "candidate"))} available${offers}`;
}

function registryText({ first, last, imported = 0, updated = 0, skipped = 0, invalid = 0 }: Params): string {
  const entries = first === undefined || last === undefined ? "Registry" : `Entries ${first} to ${last}`;
  return `${entries}: ${imported} imported, ${updated} updated, ${skipped} skipped, ${invalid} invalid`;
}

function waitSuffix(afterMs: number | undefined): string {
  return after(" in ", afterMs === undefined ? undefined : waitText(afterMs));
}

function warningCount(warnings: number): string {
  return warnings === 0 ? "" : `, ${counted(warnings, "warning")}`;
}
