import { type CodeEntries, error, skip, warning } from "./meaning.ts";

/** Findings about the run itself, and reasons why a check was skipped. */
export const runCodes = {
  nothing_checked: error("4.2", "Nothing was checked").fix(
    "Provide what the skipped checks need with --fixtures or --states-url, or omit --only, --skip or --read-only.",
  ),
  https_missing: warning("5", "The provider is called without TLS").fix(
    "Serve the API over HTTPS: the token and personal numbers travel with every call, and the platform refuses plain http.",
  ),
  skipped_rate_limited: skip("8", "Could not be checked: 429 after every wait").fix(
    "Allow at least 10 calls a second and 500 a minute from the platform, and send Retry-After with a 429; or run with --rate.",
  ),
  skipped_read_only: skip("4.2", "Not checked: it would change data").fix(
    "Run without --read-only, against a provider whose data may be changed.",
  ),
  skipped_not_prepared: skip("4.2", "Not checked: required data is missing").fix(
    "Provide it with --fixtures or --states-url.",
  ),
  skipped_not_offered: skip("4.2", "Not checked: an optional feature that the provider does not offer").fix(
    "Nothing, unless you want to offer it.",
  ),
  skipped_by_choice: skip("4.2", "Not checked: excluded by --only or --skip").fix("Run without them."),
  skipped_after_failure: skip("4.2", "Not checked: an earlier step failed").fix(
    "Fix the preceding errors first.",
  ),
  skipped_not_visible: skip("5", "Not checked: not observable by a client").fix("Check it on your side."),
} as const satisfies CodeEntries;

/** Violations in the handling of invalid input. */
export const inputCodes = {
  unknown_id_accepted: error("4.2", "An unknown id is accepted").fix(
    "Look up the object first, and return 404 when it does not exist.",
  ),
  unknown_id_status: warning("4.2", "An unknown id is refused with a status other than 404").fix(
    "Return 404: the platform treats 404 and 410 as deleted, and any other 4xx as a refusal that an operator must resolve.",
  ),
  unknown_id_tolerated: warning("4.2", "An unassignment from an unknown shift is accepted").fix(
    "Return 404 when the shift does not exist: an unassignment may find no candidate, but the shift must exist.",
  ),
  malformed_accepted: error("4.2", "A malformed request is accepted").fix(
    "Return 400 for requests that cannot be parsed.",
  ),
  invalid_accepted: error("2.4", "An invalid body is accepted").fix(
    "Validate the body before storing anything, and return 400 or 422.",
  ),
  invalid_tolerated: warning("4.2", "A body that the platform would never send is accepted").fix(
    "Validate the body against spec/provider.openapi.yaml; invalid stored data is returned as invalid later.",
  ),
} as const satisfies CodeEntries;

/** Differences between the provider's OpenAPI document and the contract (contract 4). */
export const compareCodes = {
  compare_operation_missing: error("4.2", "The document has no operation that matches this call").fix(
    "Add the path and the method; every id in a path is a string.",
  ),
  compare_security_differs: error("5", "The document requires credentials other than a bearer token").fix(
    "Describe the security as `type: http, scheme: bearer`: the platform sends `Authorization: Bearer <PROVIDER_TOKEN>`.",
  ),
  compare_request_refused: error("4.2", "According to the document, a call of the platform is invalid").fix(
    "Allow what the platform sends: do not require more than the contract does, and allow its values.",
  ),
  compare_request_undocumented: warning(
    "4.2",
    "The document does not describe something that the platform sends",
  ).fix("Add it to the document, so that readers know what to expect."),
  compare_tenant_header_undocumented: warning(
    "4.1",
    "The document does not describe how the organisation is sent",
  ).fix(
    "Put /providers/{providerId} before every path, or add the header X-Provider-Id or X-Platform-Provider-Id.",
  ),
  compare_status_missing: error("4.2", "The document omits a success status").fix(
    "Add the response with the status that the contract defines.",
  ),
  compare_status_undocumented: warning("4.2", "The document omits a refusal status").fix(
    "Add the response: the platform acts differently on 404, 409 and other statuses.",
  ),
  compare_answer_differs: error(
    "2",
    "According to the document, a response lacks what the platform reads",
  ).fix("Add the field with the contract's type to the response's schema."),
  compare_field_omitted: warning("2", "The document does not describe optional fields of a response").fix(
    "Add the fields that the provider sends, with the contract's types; operators of the platform see the difference.",
  ),
  compare_positions_omitted: error("2.2", "The document describes no number of positions").fix(
    "Add `slots` (variant A) or `numberOfPositions` (variant B) to the shift, as an integer.",
  ),
  compare_answer_undocumented: warning("4.2", "The document does not describe a response").fix(
    "Add the response's content: application/json with its schema.",
  ),
  compare_not_comparable: warning("4.2", "A part of the document cannot be compared").fix(
    "Describe the body as application/json.",
  ),
} as const satisfies CodeEntries;

/** Violations in the webhooks of a provider (contract 4.3 and 6). */
export const webhookCodes = {
  webhook_path_wrong: error("4.3", "A webhook is sent to an unknown path").fix(
    "Send to POST /api/v3/integrations/{provider}/webhook or POST /webhooks/scheduling-provider, below the platform's URL.",
  ),
  webhook_kind_wrong: error("4.3", "The path does not name a kind of provider system").fix(
    "In the path, use the kind of the registration: lower-case letters, digits and hyphens, like `tempo`.",
  ),
  webhook_method_wrong: error("4.3", "A webhook is sent with a method other than POST").fix(
    "Send webhooks with POST.",
  ),
  webhook_token_missing: error("5", "A webhook has no token").fix(
    "Send `Authorization: Bearer <PLATFORM_TOKEN>` with every webhook.",
  ),
  webhook_scheme_wrong: error("5", "The Authorization header has no bearer token").fix(
    "Send `Authorization: Bearer <PLATFORM_TOKEN>`: the word Bearer, a space, the token.",
  ),
  webhook_token_wrong: error("5", "A webhook has a token other than the PLATFORM_TOKEN").fix(
    "Send the PLATFORM_TOKEN that the platform issued; the PROVIDER_TOKEN is for the other direction.",
  ),
  webhook_content_type_wrong: error("4.3", "The Content-Type of a webhook is not application/json").fix(
    "Send `Content-Type: application/json`, in UTF-8 and without a content encoding.",
  ),
  webhook_body_not_json: error("6", "The body of a webhook is not JSON").fix(
    "Send a complete JSON document in UTF-8.",
  ),
  webhook_body_too_large: error("6", "The body of a webhook is larger than 64 kB").fix(
    "Send the four fields of the contract: the platform reads the shift itself.",
  ),
  webhook_payload_wrong: error("6", "The payload of a webhook violates the contract").fix(
    "Send event, providerId, content.shiftId and traceId; providerId and traceId are UUIDs with hyphens.",
  ),
  webhook_event_unknown: error("6", "A webhook with an unknown event name").fix(
    "Send shift.create, shift.update or shift.delete; the platform acknowledges other names and ignores them.",
  ),
  webhook_provider_changed: error("5", "Webhooks with the same token name different organisations").fix(
    "Use the PLATFORM_TOKEN of each organisation: a token belongs to one providerId.",
  ),
  webhook_event_missing: error("6", "An expected event was not received").fix(
    "Send this event when a shift changes in that way; --expect names the events to wait for.",
  ),
  webhook_not_retried: warning("6", "A webhook was not retried after a 500").fix(
    "Retry until the response is 200: after 5 s, 5 min, 30 min, 2 h and later, with the same traceId.",
  ),
  webhook_slow_not_retried: warning("6", "A webhook that timed out was not retried").fix(
    "Treat a timeout as a failure, and retry the webhook with the same traceId.",
  ),
  webhook_limited_not_retried: warning("6", "A webhook was not retried after a 429").fix(
    "Treat a 429 like a 500, and retry the webhook with the same traceId after the time of Retry-After.",
  ),
  webhook_retry_too_early: warning("6", "A webhook was retried before the time of Retry-After").fix(
    "After a 429, wait as long as Retry-After says; the platform limits senders that do not.",
  ),
  webhook_retry_trace_changed: error("6", "A retry has a different traceId").fix(
    "Keep the traceId for every attempt of an event: the platform recognises a repetition by it.",
  ),
  webhook_retry_payload_changed: error("6", "A retry has a different payload").fix(
    "Store the payload with the event, and send exactly that on every attempt.",
  ),
  webhook_retry_extras_changed: warning("6", "A retry has different additional fields").fix(
    "Send the same bytes on every attempt; the platform keeps only the first.",
  ),
  webhook_sent_again: warning("6", "An acknowledged webhook was sent again").fix(
    "Treat any 200 as an acknowledgement, and send each event once.",
  ),
  webhook_trace_reused: warning("6", "Two events have the same traceId").fix(
    "Generate a new UUID for each event.",
  ),
  skipped_not_sent: skip("6", "Not checked: the required webhook was not received").fix(
    "Trigger more events while it listens, or wait longer with --timeout.",
  ),
} as const satisfies CodeEntries;
