import type { CodeEntries } from "./code.ts";

/** Violations in the webhooks of a provider (contract 4.3 and 6). */
export const webhookCodes = {
  webhook_path_wrong: {
    severity: "error",
    title: "A webhook is sent to an unknown path",
    section: "4.3",
    fix: "Send to POST /api/v3/integrations/{provider}/webhook or POST /webhooks/scheduling-provider, below the platform's URL.",
  },
  webhook_kind_wrong: {
    severity: "error",
    title: "The path does not name a kind of provider system",
    section: "4.3",
    fix: "In the path, use the kind of the registration: lower-case letters, digits and hyphens, like `tempo`.",
  },
  webhook_method_wrong: {
    severity: "error",
    title: "A webhook is sent with a method other than POST",
    section: "4.3",
    fix: "Send webhooks with POST.",
  },
  webhook_token_missing: {
    severity: "error",
    title: "A webhook has no token",
    section: "5",
    fix: "Send `Authorization: Bearer <PLATFORM_TOKEN>` with every webhook.",
  },
  webhook_scheme_wrong: {
    severity: "error",
    title: "The Authorization header has no bearer token",
    section: "5",
    fix: "Send `Authorization: Bearer <PLATFORM_TOKEN>`: the word Bearer, a space, the token.",
  },
  webhook_token_wrong: {
    severity: "error",
    title: "A webhook has a token other than the PLATFORM_TOKEN",
    section: "5",
    fix: "Send the PLATFORM_TOKEN that the platform issued; the PROVIDER_TOKEN is for the other direction.",
  },
  webhook_content_type_wrong: {
    severity: "error",
    title: "The Content-Type of a webhook is not application/json",
    section: "4.3",
    fix: "Send `Content-Type: application/json`, in UTF-8 and without a content encoding.",
  },
  webhook_body_not_json: {
    severity: "error",
    title: "The body of a webhook is not JSON",
    section: "6",
    fix: "Send a complete JSON document in UTF-8.",
  },
  webhook_body_too_large: {
    severity: "error",
    title: "The body of a webhook is larger than 64 kB",
    section: "6",
    fix: "Send the four fields of the contract: the platform reads the shift itself.",
  },
  webhook_payload_wrong: {
    severity: "error",
    title: "The payload of a webhook violates the contract",
    section: "6",
    fix: "Send event, providerId, content.shiftId and traceId; providerId and traceId are UUIDs with hyphens.",
  },
  webhook_event_unknown: {
    severity: "error",
    title: "A webhook with an unknown event name",
    section: "6",
    fix: "Send shift.create, shift.update or shift.delete; the platform acknowledges other names and ignores them.",
  },
  webhook_provider_changed: {
    severity: "error",
    title: "Webhooks with the same token name different organisations",
    section: "5",
    fix: "Use the PLATFORM_TOKEN of each organisation: a token belongs to one providerId.",
  },
  webhook_event_missing: {
    severity: "error",
    title: "An expected event was not received",
    section: "6",
    fix: "Send this event when a shift changes in that way; --expect names the events to wait for.",
  },
  webhook_not_retried: {
    severity: "warning",
    title: "A webhook was not retried after a 500",
    section: "6",
    fix: "Retry until the response is 200: after 5 s, 5 min, 30 min, 2 h and later, with the same traceId.",
  },
  webhook_slow_not_retried: {
    severity: "warning",
    title: "A webhook that timed out was not retried",
    section: "6",
    fix: "Treat a timeout as a failure, and retry the webhook with the same traceId.",
  },
  webhook_retry_trace_changed: {
    severity: "error",
    title: "A retry has a different traceId",
    section: "6",
    fix: "Keep the traceId for every attempt of an event: the platform recognises a repetition by it.",
  },
  webhook_retry_payload_changed: {
    severity: "error",
    title: "A retry has a different payload",
    section: "6",
    fix: "Store the payload with the event, and send exactly that on every attempt.",
  },
  webhook_retry_extras_changed: {
    severity: "warning",
    title: "A retry has different additional fields",
    section: "6",
    fix: "Send the same bytes on every attempt; the platform keeps only the first.",
  },
  webhook_sent_again: {
    severity: "warning",
    title: "An acknowledged webhook was sent again",
    section: "6",
    fix: "Treat any 200 as an acknowledgement, and send each event once.",
  },
  webhook_trace_reused: {
    severity: "warning",
    title: "Two events have the same traceId",
    section: "6",
    fix: "Generate a new UUID for each event.",
  },
  skipped_not_sent: {
    severity: "skipped",
    title: "Not checked: the required webhook was not received",
    section: "6",
    fix: "Trigger more events while it listens, or wait longer with --timeout.",
  },
} as const satisfies CodeEntries;
