import type {
  BookingStatus,
  Event,
  EventStatus,
  JobStatus,
  NotificationKind,
  StepName,
} from "../../../generated/operations/types.ts";
import { entryOf } from "./phrases.ts";

const JOB_STATUSES = {
  blocked_mapping: "blocked (not mapped)",
  open: "open",
  filled: "filled",
  cancelled: "cancelled",
  expired: "expired",
} satisfies Record<JobStatus, string>;

export function jobStatusText(status: JobStatus): string {
  return entryOf(JOB_STATUSES, status) ?? status;
}

const BOOKING_STATUSES = {
  pending: "waiting for the provider",
  confirmed: "confirmed",
  released: "released",
  failed: "failed",
} satisfies Record<BookingStatus, string>;

export function bookingStatusText(status: BookingStatus): string {
  return entryOf(BOOKING_STATUSES, status) ?? status;
}

interface EventStatusText {
  name: string;
  /** What the status means for an operator, in one or two sentences. */
  meaning: string;
}

const EVENT_STATUSES = {
  queued: { name: "Queued", meaning: "The event waits to be processed. One shift is processed at a time." },
  failed: {
    name: "Failed",
    meaning:
      "The provider's response is unusable, and another attempt would not change that. Fix the cause first.",
  },
  dead: {
    name: "No response",
    meaning:
      "Every attempt failed. The shift is still read at least once an hour; a replay reads it immediately.",
  },
  processed: { name: "Processed", meaning: "The event was processed. The job is up to date." },
  skipped_echo: {
    name: "Skipped: echo",
    meaning: "The provider reports a deletion that the platform requested itself.",
  },
  ignored: { name: "Ignored", meaning: "The event was stored and changed nothing." },
} satisfies Record<EventStatus, EventStatusText>;

const RETRYING: EventStatusText = {
  name: "Retrying",
  meaning: "The last attempt failed. The next one follows automatically, after a growing pause.",
};

/** The status of an event. A queued event with attempts is being retried. */
export function eventStatusText({
  status,
  attempts = 0,
}: Pick<Event, "status"> & Partial<Pick<Event, "attempts">>): EventStatusText {
  if (status === "queued" && attempts > 0) return RETRYING;
  return entryOf<EventStatusText>(EVENT_STATUSES, status) ?? { name: status, meaning: "" };
}

const STEPS = {
  webhook: "Webhook",
  fetch: "Shift read",
  job: "Job",
  match: "Matching",
  notification: "Notification",
  booking: "Booking",
  candidate: "Candidate",
  assign: "Assignment",
  unassign: "Unassignment",
  cancel: "Cancellation",
  change: "Change",
  event: "Event",
  registry: "Registry",
} satisfies Record<StepName, string>;

/** The name of a step of a trace. */
export function stepText(step: StepName): string {
  return entryOf(STEPS, step) ?? step;
}

const NOTIFICATIONS = {
  job_offered: "job offered",
  shift_changed: "shift changed",
  shift_cancelled: "shift cancelled",
  booking_confirmed: "booking confirmed",
  booking_released: "booking released",
} satisfies Record<NotificationKind, string>;

/** What a notification is about. */
export function notificationText(kind: NotificationKind): string {
  return entryOf(NOTIFICATIONS, kind) ?? kind;
}
