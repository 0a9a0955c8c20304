import { type ProblemDetails, ProblemError } from "../runtime/problem.ts";

interface Kind {
  status: number;
  /** RFC 9457: the same for every occurrence of the code. */
  title: string;
}

/** Every error code of the platform, the sandbox and the stubs (decisions, "error codes"). Codes are never renamed. */
export const catalogue = {
  validation_failed: { status: 400, title: "The request is not valid" },
  malformed_json: { status: 400, title: "The body is not JSON" },
  request_aborted: { status: 400, title: "The request ended before it was complete" },
  unauthorized: { status: 401, title: "A valid token is required" },
  forbidden: { status: 403, title: "The token does not allow this" },
  not_found: { status: 404, title: "There is no resource at this path" },
  provider_not_found: { status: 404, title: "No active integration has this providerId" },
  provider_kind_unknown: { status: 404, title: "No integration has this kind of provider" },
  shift_not_found: { status: 404, title: "There is no such shift" },
  candidate_not_found: { status: 404, title: "There is no such candidate" },
  job_not_found: { status: 404, title: "There is no such job" },
  booking_not_found: { status: 404, title: "There is no such booking" },
  event_not_found: { status: 404, title: "There is no such event" },
  notification_not_found: { status: 404, title: "There is no such notification" },
  operator_not_found: { status: 404, title: "There is no such operator" },
  issue_not_found: { status: 404, title: "There is no such issue" },
  trace_not_found: { status: 404, title: "There is no such trace" },
  outlet_not_found: { status: 404, title: "There is no such outlet" },
  role_not_found: { status: 404, title: "There is no such role" },
  workplace_not_found: { status: 404, title: "There is no such workplace" },
  competence_not_found: { status: 404, title: "There is no such competence" },
  method_not_allowed: { status: 405, title: "This method is not supported here" },
  shift_full: { status: 409, title: "Every position of the shift is taken" },
  shift_cancelled: { status: 409, title: "The shift is cancelled" },
  shift_started: { status: 409, title: "The shift has started" },
  candidate_exists: { status: 409, title: "The candidate exists already" },
  integration_exists: { status: 409, title: "The integration exists already" },
  operator_exists: { status: 409, title: "The operator exists already" },
  job_filled: { status: 409, title: "Every position of the job is taken" },
  job_not_open: { status: 409, title: "The job takes no bookings" },
  already_booked: { status: 409, title: "The candidate is booked on this job already" },
  candidate_booked: { status: 409, title: "The candidate holds a seat" },
  candidate_not_released: { status: 409, title: "The candidate is not released for this organisation" },
  booking_overlaps: { status: 409, title: "The candidate works elsewhere at that time" },
  competence_missing: { status: 409, title: "The candidate lacks the competence" },
  provider_refused: { status: 409, title: "The provider refused the request" },
  event_queued: { status: 409, title: "The event waits to be processed" },
  notification_withdrawn: { status: 409, title: "The notification no longer applies" },
  mail_not_configured: { status: 409, title: "The platform has no mail server" },
  registry_absent: { status: 409, title: "The provider offers no candidate registry" },
  registry_too_long: { status: 409, title: "The registry is too long" },
  integration_not_draft: { status: 409, title: "Only a draft allows this" },
  integration_is_draft: { status: 409, title: "A draft does not allow this" },
  integration_deleting: { status: 409, title: "The integration is being deleted" },
  integration_in_use: { status: 409, title: "The integration has jobs" },
  integration_changed: { status: 409, title: "The integration was changed in the meantime" },
  not_ready: { status: 409, title: "Prerequisites are missing" },
  shift_gone: { status: 410, title: "The shift was deleted" },
  payload_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The body must be application/json" },
  unprocessable: { status: 422, title: "The request is well-formed but cannot be processed" },
  rate_limited: { status: 429, title: "Too many requests" },
  internal_error: { status: 500, title: "An internal error occurred" },
  provider_unavailable: { status: 502, title: "The provider does not respond correctly" },
  store_unavailable: { status: 503, title: "Nothing can be stored at the moment" },
  database_unreachable: { status: 503, title: "The database does not respond" },
  database_read_only: { status: 503, title: "The database accepts no writes" },
  database_rights_missing: { status: 503, title: "The role of the platform lacks rights" },
  schema_missing: { status: 503, title: "The schema of the database is incomplete" },
  schema_newer: { status: 503, title: "The schema of the database is too new" },
  inbox_locked: { status: 503, title: "The inbox is locked" },
  connections_exhausted: { status: 503, title: "No database connection is free" },
  draining: { status: 503, title: "The platform is stopping" },
  overloaded: { status: 503, title: "The server is overloaded" },
} as const satisfies Readonly<Record<string, Kind>>;

export type ProblemCode = keyof typeof catalogue;

const TYPE_BASE = "https://shiftpact.example/problems/";

/**
 * An error of the catalogue, to be thrown in a handler or a hook: answered as an RFC 9457 problem document.
 * @param details `detail` and `errors` describe this occurrence and never contain personal data.
 */
export function problem(
  code: ProblemCode,
  details: Omit<ProblemDetails, "type" | "title"> = {},
  headers: Readonly<Record<string, string>> = {},
): ProblemError {
  const { status, title } = catalogue[code];
  return new ProblemError(status, code, { type: `${TYPE_BASE}${code}`, title, ...details }, headers);
}
