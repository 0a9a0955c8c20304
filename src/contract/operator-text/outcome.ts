import type {
  BookingReason,
  ChangeReason,
  DeliveryCode,
  Job,
  Outcome,
  OutcomeCode,
  Params,
  StepName,
  WaitCode,
} from "../../../generated/operations/types.ts";
import type { ShiftWarning } from "../shift.ts";
import { after, capitalised, counted, entryOf, inParentheses, waitText } from "./phrases.ts";
import {
  attemptsSuffix,
  failureSuffix,
  failureText,
  faultText,
  jobStatusText,
  knownFailure,
  notificationText,
  stepText,
} from "./status.ts";

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

type Phrase = (params: Params) => string;

const BOOKING_REASONS = {
  withdrawn: () => "withdrawn",
  shift_deleted: () => "the provider deleted the shift",
  shift_cancelled: () => "the provider cancelled the shift",
  job_cancelled: () => "the employer cancelled the job",
  shift_started: () => "the shift has started",
  shift_full: () => "the shift is full at the provider",
  shift_not_found: () => "the provider does not know the shift",
  candidate_not_found: () => "the provider does not know the candidate",
  candidate_ambiguous: () => "several people at the provider match the candidate",
  candidate_id_shared: () => "the provider gives the candidate the id of another candidate",
  candidate_erased: () => "the candidate was erased",
  candidate_refused: (params) => `the provider refused the candidate${failureSuffix(params)}`,
  assignment_refused: (params) => `the provider refused the assignment${failureSuffix(params)}`,
  removed_by_provider: () => "the provider removed the candidate from the shift",
  moved_by_provider: () => "the provider moved the candidate to another shift",
  ended_by_operator: () => "an operator ended it without the provider",
  provider_unavailable: (params) => `the provider gave no usable response${failureSuffix(params)}`,
} satisfies Record<BookingReason, Phrase>;

/** Why a booking was released or failed, as a phrase to follow a colon. */
export function bookingReasonText(reason: BookingReason, params: Params = {}): string {
  return entryOf<Phrase>(BOOKING_REASONS, reason)?.(params) ?? reason;
}

const CHANGE_REASONS = {
  provider_refused: (params) => `the provider refused it${failureSuffix(params)}`,
  job_cancelled: () => "the job is cancelled",
  shift_started: () => "the shift has started",
  shift_gone: () => "the provider no longer has the shift",
  restored: () => "the platform was restored, so the outcome of the request is unknown",
  shift_unusable: (params) => `the shift would be unusable${after(": ", faultText(params))}`,
  changed_by_provider: () => "the provider has changed it meanwhile",
  end_not_after_start: () => "the end would not be after the start",
  provider_unavailable: (params) => `the provider gave no usable response${failureSuffix(params)}`,
} satisfies Record<ChangeReason, Phrase>;

/** Why the times or positions of a shift were not changed, as a phrase to follow a colon. */
export function changeReasonText(reason: ChangeReason, params: Params = {}): string {
  return entryOf<Phrase>(CHANGE_REASONS, reason)?.(params) ?? reason;
}

const DELIVERIES = {
  mail_server_unreachable: ({ providerCode }) =>
    `the mail server is unreachable${failureSuffix(providerCode === undefined ? {} : { providerCode })}`,
  mail_server_refused: ({ status }) =>
    `the mail server refused the message${status === undefined ? "" : ` (SMTP ${status})`}`,
  address_unusable: () => "the e-mail address is unusable",
  tls_unavailable: () => "the mail server offers no TLS",
  offer_withdrawn: () => "the offer was withdrawn first",
  gave_up: ({ attempts, status }) =>
    status === undefined
      ? `every attempt failed${attempts === undefined ? "" : `, ${attempts} in total`}`
      : `the mail server rejected the message (SMTP ${status})`,
  address_disputed: () => "its reader says that the candidate is someone else",
  unsubscribed: () => "the candidate wants no mail with offers",
} satisfies Record<DeliveryCode, Phrase>;

/** Why a notification was not delivered, or not yet, as a phrase to follow a colon. */
export function deliveryText(code: DeliveryCode, params: Params = {}): string {
  const reason = entryOf<Phrase>(DELIVERIES, code)?.(params) ?? code;
  return params.afterMs === undefined ? reason : `${reason}; next attempt in ${waitText(params.afterMs)}`;
}

const MAIL_WAITS = {
  mail_server: "the next attempt",
  offer_window: "the next mail with offers",
  daily_limit: "the next day's mails with offers",
} satisfies Record<WaitCode, string>;

/** What a mail waits for, as a phrase to follow "waits for". */
export const mailWaitText = (code: WaitCode): string => entryOf<string>(MAIL_WAITS, code) ?? code;

const CANCELLERS = {
  employer: "The employer cancelled the job.",
  provider: "The provider reports the shift as cancelled.",
  absence: "The provider no longer has the shift. The job reopens if the shift reappears.",
} satisfies Record<NonNullable<Job["cancelledBy"]>, string>;

/** Who or what cancelled a job. */
export function cancelledByText(by: NonNullable<Job["cancelledBy"]>): string {
  return entryOf(CANCELLERS, by) ?? by;
}

const WARNINGS = {
  positions_missing: "Neither slots nor numberOfPositions given: read as 1 position",
  positions_differ: "slots and numberOfPositions differ: the smaller number applies",
  positions_many: "More than 100 positions: check the number with the provider",
  time_without_offset: "A time without offset: read in the time zone of the integration",
  name_cut: "A name of more than 200 characters: cut off there",
  status_unknown: "A status other than open, filled, and cancelled: read as open",
} satisfies Record<ShiftWarning, string>;

/** What is unusual about a shift that could still be read. */
export function warningText(warning: string): string {
  return entryOf(WARNINGS, warning) ?? warning;
}
