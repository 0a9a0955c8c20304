import { type CodeEntries, error, skip, warning } from "./code.ts";

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
