import { type CodeEntries, error, warning } from "./meaning.ts";

/** Violations of access rules: tokens (contract 5) and organisations (contract 2.1). */
export const accessCodes = {
  auth_missing: error("5", "A request without a token is served").fix(
    "Validate the bearer token on this operation before anything else, and return 401.",
  ),
  auth_any_token: error("5", "An unknown token is accepted").fix(
    "Compare the whole token with the exchanged PROVIDER_TOKEN, and return 401 for any other token.",
  ),
  auth_wrong_scheme: error("5", "The token is accepted under a scheme other than Bearer").fix(
    "Accept only `Authorization: Bearer <PROVIDER_TOKEN>`.",
  ),
  auth_status: warning("5", "A missing or wrong token is refused with a status other than 401").fix(
    "Return 401 for a request without a valid token, before any other check.",
  ),
  auth_after_lookup: warning("5", "Requests without a token reveal which shifts exist").fix(
    "Check the token before anything else: return 401 whether the id exists or not.",
  ),
  tenant_conflict: error("4.1", "Two headers that name different organisations are accepted").fix(
    "Return 400 when X-Provider-Id and X-Platform-Provider-Id differ, or read only one of them.",
  ),
  tenant_ignored: error("5", "An unknown providerId is served").fix(
    "On every operation, verify that providerId is an active integration that the token belongs to; return 403 or 404 otherwise.",
  ),
  tenant_status: warning("5", "An unknown providerId is refused with an unusual status").fix(
    "Return 404 for an unknown providerId, and 403 for one that the token does not belong to.",
  ),
  tenant_shared: error("5", "An organisation sees or changes the data of another").fix(
    "Restrict every query to the organisation of the request, and verify that the token belongs to it.",
  ),
} as const satisfies CodeEntries;

/** Violations that any response can have. */
export const answerCodes = {
  no_answer: error("7", "No response within the time limit").fix(
    "Respond to every call within the time limit; the platform gives up after 10 seconds and retries later.",
  ),
  connection_broken: error("7", "The connection closed before the response was complete").fix(
    "Return a complete HTTP response to every request, including requests that you refuse.",
  ),
  registry_too_long: error("2.5", "The registry is too long for one response").fix(
    "Offer pages: return at most `limit` people, and `nextCursor` while there are more; accept it as `cursor`.",
  ),
  server_error: error("7", "5xx response").fix(
    "Find the unhandled exception behind this request. Return a 4xx for invalid input: the platform retries a 5xx for hours.",
  ),
  redirected: error("4.2", "Redirect response").fix(
    "Respond at the address itself. The platform does not follow redirects, because they would forward its token.",
  ),
  status_wrong: error("4.2", "A success status that the contract does not define").fix(
    "Return the status that the contract defines for this operation.",
  ),
  request_refused: error("4.2", "A valid request is refused").fix(
    "Accept the request as the contract describes it; the curl command sends exactly what the platform sends.",
  ),
  body_missing: error("4.2", "The response has no body").fix(
    "Send the JSON body that the contract defines for this response.",
  ),
  body_not_json: error("4.2", "The body is not JSON").fix("Send a complete JSON document in UTF-8."),
  byte_order_mark: warning("4.2", "A byte order mark before the JSON").fix(
    "Send UTF-8 without a byte order mark (RFC 8259): many parsers refuse it. A source file that was saved with one is the usual cause.",
  ),
  content_type_wrong: error("4.2", "JSON with a different Content-Type").fix(
    "Send `Content-Type: application/json` with every JSON body.",
  ),
  content_type_missing: warning("4.2", "JSON without a Content-Type").fix(
    "Send `Content-Type: application/json` with every JSON body.",
  ),
  field_missing: error("2", "A required field is missing").fix(
    "Send every field that the contract lists for this object.",
  ),
  field_wrong: error("2", "A field has the wrong type or format").fix(
    "Send the type that the contract lists: a number is not a string, and an id is not a number.",
  ),
  field_recommended: warning("2", "An optional field is missing or unexpected").fix(
    "Send the complete object; operators of the platform see the difference.",
  ),
  positions_missing: error("2.2", "The shift has no number of positions").fix(
    "Send `slots` (variant A) or `numberOfPositions` (variant B): the total, not the remainder. Without it the platform fills one position.",
  ),
  positions_differ: warning("2.2", "`slots` and `numberOfPositions` differ").fix(
    "Send one of them, or both with the same value: the platform uses the smaller one.",
  ),
  time_without_offset: error("2.2", "A time without an offset").fix(
    "Send ISO 8601 with an offset: 2027-03-27T22:00:00+01:00. Around a clock change a local time is off by an hour.",
  ),
  time_invalid: error("2.2", "A time that is not ISO 8601 or does not exist").fix(
    "Send ISO 8601 with an offset: 2027-03-27T22:00:00+01:00.",
  ),
  time_form_unusual: warning("2.2", "A time in an unusual form of ISO 8601").fix(
    "Send seconds, and an offset with a colon (RFC 3339): 2027-03-27T22:00:00+01:00. This platform reads the other forms of ISO 8601, too.",
  ),
  time_not_set: warning("2.2", "A time with a default value").fix(
    "Omit an unknown time, or send null: a default such as 0001-01-01 is read as a time.",
  ),
  break_too_long: error("2.2", "A break longer than a day").fix(
    "Send breakMinutes in minutes, not in seconds or milliseconds.",
  ),
  end_not_after_start: error("2.2", "A shift does not end after it starts").fix(
    "Send the end of a night shift with the date of the next day.",
  ),
  shift_id_not_uuid: warning("6", "A shift id is not a UUID").fix(
    "Give every shift a UUID, and use it in events too: the contract defines content.shiftId as a UUID. This platform accepts any text.",
  ),
  id_mismatch: error("4.2", "The response is about a different id than the request").fix(
    "Return the object of the id in the path, with the id spelled as in the request.",
  ),
  duplicate_id: error("2", "Two entries of a list have the same id").fix(
    "Give each entry a unique id, and list it once.",
  ),
  success_denied: error("4.2", "A success status with a body that reports a failure").fix(
    "Return a refusal with 409 (shift_full, shift_cancelled, shift_started) or another 4xx, not with a 2xx.",
  ),
  personal_number_wrong: error("2.8", "A personal number in neither format of the contract").fix(
    "Send YYYYMMDDXXXX or YYYYMMDD-XXXX, with the century.",
  ),
  personal_number_invalid: warning("2.8", "A personal number with an invalid date or check digit").fix(
    "Validate the number when it is entered: the platform does not import a person with an invalid number.",
  ),
  dialect_mixed: error("2.2", "Two variants of the shift from one provider").fix(
    "Send the same set of fields from every operation that returns a shift.",
  ),
  form_mixed: warning("4.2", "Two forms of the same response from one provider").fix(
    "Choose one of the contract's forms and use it everywhere.",
  ),
  error_body_broken: error("7", "The body of an error does not match its Content-Type").fix(
    "Send a complete JSON document, and an RFC 9457 problem under application/problem+json; or send no body.",
  ),
  error_not_problem: warning("7", "Errors are not problem documents").fix(
    "Return errors as application/problem+json (RFC 9457) with a `code`: operators of the platform see the code.",
  ),
  token_leaked: error("5", "A response contains the token").fix(
    "Keep the token out of bodies and messages: they are logged and stored where a token must not be.",
  ),
  error_leaks: warning("7", "An error reveals internals of the server").fix(
    "Keep stack traces, file names and database statements in your log.",
  ),
} as const satisfies CodeEntries;
