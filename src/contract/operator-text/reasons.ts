import type {
  BookingReason,
  ChangeReason,
  DeliveryCode,
  Job,
  Params,
  WaitCode,
} from "../../../generated/operations/types.ts";
import type { ShiftWarning } from "../shift.ts";
import { failureSuffix, faultText } from "./failure.ts";
import { after, entryOf, waitText } from "./phrases.ts";

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
