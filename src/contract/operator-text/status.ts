import type {
  BacklogLimit,
  BacklogLimitCode,
  BookingStatus,
  Event,
  EventStatus,
  FailureCode,
  Health,
  HealthCode,
  JobStatus,
  NotificationKind,
  Params,
  RoutingAttempt,
  StepName,
} from "../../../generated/operations/types.ts";
import { connectionFault } from "../connection-fault.ts";
import { fieldWords } from "../field-words.ts";
import { catalogue } from "../problem.ts";
import { after, counted, entryOf, inParentheses } from "./phrases.ts";

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

type Text = (params: Params) => string;

const LIMITS = {
  none: () => "Nothing waits.",
  draft: () => "The integration is a draft: its work waits for the activation.",
  suspended: () => "The integration is suspended: its work waits until it is activated again.",
  paused: ({ health }) => `Work is paused${after(": ", health && stateText(health))}.`,
  rate_limit: ({ until, perMinute }) =>
    until
      ? "The provider asked the platform to send no calls for a while."
      : `Calls wait for the limit of ${counted(perMinute, "call")} per minute.`,
  latency: ({ responseMs, atOnce }) =>
    `The provider takes ${responseText(responseMs)} for a response, and at most ${counted(atOnce, "run")} can call it at the same time.`,
  working: () => "Only the platform's own pace limits it.",
} satisfies Record<BacklogLimitCode, Text>;

/** What limits a backlog. */
export const backlogText = ({ code, params }: BacklogLimit): string =>
  entryOf<Text>(LIMITS, code)?.(params) ?? code;

const stateText = (code: NonNullable<Params["health"]>): string =>
  healthText({ code, paused: "nothing", resumes: "automatically" }).title.toLowerCase();

function responseText(ms: number | undefined): string {
  if (ms === undefined) return "long";
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

export interface HealthText {
  title: string;
  detail: string;
  /** The work that waits. */
  paused: string;
  /** The end of the pause. */
  resumes: string;
}

/** The gravest first: of several the provider is shown with the first, and lists of providers have the same order. */
const STATES: Record<HealthCode, Pick<HealthText, "title" | "detail">> = {
  token_rejected: {
    title: "Token rejected",
    detail: "The provider rejects the provider token with 401 or 403.",
  },
  mass_disappearance: {
    title: "Mass disappearance",
    detail: "Many of the provider's future shifts, or of the candidates on them, disappeared within minutes.",
  },
  unreachable: { title: "Unreachable", detail: "The last calls to the provider had no usable response." },
  implausible: {
    title: "Implausible responses",
    detail: "The provider responds to every call with 404, or breaks the contract with every response.",
  },
  route_missing: {
    title: "Missing route",
    detail: "The provider answers calls of one operation as if it had no route for them.",
  },
  rate_limited: {
    title: "Rate limited",
    detail: "The provider asked the platform to send no calls for a while.",
  },
  reachable: {
    title: "Reachable",
    detail: "The last calls to the provider had a usable response, or there was none yet.",
  },
};

export const HEALTH_BY_GRAVITY = Object.keys(STATES) as readonly HealthCode[];

const PAUSED = {
  nothing: "Nothing",
  all_calls: "All calls to the provider, except one probe per minute",
  one_operation: "Calls of the missing route, repeated at least every two minutes",
  deletions:
    "Deletions and removals: a shift that disappears is not treated as deleted, nor a candidate who disappears from a list as removed",
} satisfies Record<Health["paused"], string>;

const RESUMES = {
  automatically: "Automatically",
  with_good_response: "With the first good response, or with a new provider token",
  with_operator: "When an operator resolves the issue, or when the shifts are back",
} satisfies Record<Health["resumes"], string>;

/** How a provider behaves, what that pauses, and what ends the pause. */
export function healthText({
  code,
  paused,
  resumes,
}: Pick<Health, "code" | "paused" | "resumes">): HealthText {
  const state = entryOf<Pick<HealthText, "title" | "detail">>(STATES, code) ?? { title: code, detail: "" };
  return {
    ...state,
    paused: entryOf(PAUSED, paused) ?? paused,
    resumes: entryOf(RESUMES, resumes) ?? resumes,
  };
}

const WAYS = { path: "path", header: "headers" } satisfies Record<RoutingAttempt["routing"], string>;

/** `tried by path: GET https://provider.example/providers/…/outlets returned 404`. */
function attemptText({ routing, url, ...params }: RoutingAttempt): string {
  const { failure, status } = params;
  const isResponse = status !== undefined && (failure === undefined || failure === "http_error");
  const outcome = isResponse
    ? `returned ${status}${after(", ", codeText(params))}`
    : `had no usable response (${failureText(params)})`;
  return `tried by ${entryOf(WAYS, routing) ?? routing}: GET ${url} ${outcome}`;
}

/** The calls of a detection, and the outcome of each. */
export function routingAttemptsText(attempts: readonly RoutingAttempt[]): string {
  return attempts.map(attemptText).join("; ");
}

const codeText = ({ providerCode }: Pick<RoutingAttempt, "providerCode">) =>
  providerCode === undefined ? undefined : knownFailure({ providerCode });

const POINTERS_AT_MOST = 5;
/** The form of an error code of a provider or a system; other text is not shown. */
const ERROR_CODE = /^[a-z][a-z0-9_.-]{0,60}$/i;

type FailureParams = Pick<Params, "failure" | "status" | "providerCode"> & { pointers?: readonly string[] };

const FAILURES = {
  timeout: () => "no response in time",
  connection_failed: ({ providerCode = "" }) => connectionFault(providerCode) ?? "connection failed",
  response_too_long: () => "response too long",
  processing_limit: () => "responses took too much time or memory to process",
  redirected: (params) => `redirect not followed${after(", ", httpText(params))}`,
  http_error: (params) => httpText(params) ?? "HTTP error",
  contract_violation: ({ pointers }) => `contract violation in the response${placesOf(pointers)}`,
  wrong_shift: () => "response about another shift",
  wrong_person: () => "response about another person",
  change_not_shown: () => "response without the requested change",
  absence_unconfirmed: (params) => `absence of the shift not confirmed${after(", ", httpText(params))}`,
  route_missing: (params) => `no such route${after(", ", httpText(params))}`,
  address_blocked: () => "address not allowed",
  circuit_open: () => "calls paused after repeated failures",
  rate_limited: () => "rate limit reached",
  at_capacity: () => "too many calls in progress",
  aborted: () => "call aborted",
  internal_error: () => "internal error of the platform",
} satisfies Record<FailureCode, (params: FailureParams) => string>;

/** Why a call to the provider gave no usable response, as a phrase: `HTTP 503`, `no response in time`. */
export function failureText(params: FailureParams): string {
  return knownFailure(params) ?? "no usable response";
}

/** The failure in parentheses; nothing where the params name none. */
export function failureSuffix(params: FailureParams): string {
  return inParentheses(knownFailure(params));
}

/** ` after 3 attempts`; nothing without a count. */
export function attemptsSuffix(attempts: number | undefined): string {
  return attempts === undefined ? "" : ` after ${counted(attempts, "attempt")}`;
}

/** The failure; undefined where the params name none. */
export function knownFailure(params: FailureParams): string | undefined {
  const { failure } = params;
  if (failure === undefined) return httpText(params);
  return entryOf<(params: FailureParams) => string>(FAILURES, failure)?.(params) ?? failure;
}

const FAULTS = {
  time_impossible: "a time does not exist",
  time_out_of_range: "a time is out of range",
  end_not_after_start: "the end is not after the start",
  too_long: "the shift is longer than 36 hours",
  text_unstorable: "a text cannot be stored",
} satisfies Record<NonNullable<Params["fault"]>, string>;

/** What makes a shift unusable; undefined if the params do not name it. */
export function faultText({ fault, pointer }: Pick<Params, "fault" | "pointer">): string | undefined {
  if (fault === undefined) return undefined;
  return `${entryOf(FAULTS, fault) ?? fault}${inParentheses(fieldWords(pointer ?? "") || undefined)}`;
}

/** `HTTP 409, every position of the shift is taken`. */
function httpText({ status, providerCode }: FailureParams): string | undefined {
  const code = errorCode(providerCode);
  return status === undefined ? code : `HTTP ${status}${after(", ", code)}`;
}

/** The code in words: of a connection, or of the catalogue. Codes of the provider's own stay. */
function errorCode(code: string | undefined): string | undefined {
  if (code === undefined || !ERROR_CODE.test(code)) return undefined;
  const { title } = entryOf<{ title: string }>(catalogue, code) ?? {};
  return connectionFault(code) ?? (title ? `${title.charAt(0).toLowerCase()}${title.slice(1)}` : code);
}

function placesOf(pointers: readonly string[] = []): string {
  const places = pointers.slice(0, POINTERS_AT_MOST).map((pointer) => fieldWords(pointer) || "the body");
  return places.length === 0 ? "" : ` at ${places.join(", ")}`;
}
