import type { CodeEntries } from "./code.ts";

/** What can be wrong with the webhooks that a provider sends (contract 4.3 and 6). */
export const webhookCodes = {
  webhook_path_wrong: {
    severity: "error",
    title: "A webhook goes to a path that the platform does not have",
    section: "4.3",
    fix: "Send to POST /api/v3/integrations/{provider}/webhook or POST /webhooks/scheduling-provider, below the platform's URL.",
  },
  webhook_kind_wrong: {
    severity: "error",
    title: "The path names no kind of provider system",
    section: "4.3",
    fix: "Put the kind that the integration was registered with into the path: lower-case letters, digits and hyphens, like `tempo`.",
  },
  webhook_method_wrong: {
    severity: "error",
    title: "A webhook is sent with another method than POST",
    section: "4.3",
    fix: "Send webhooks with POST.",
  },
  webhook_token_missing: {
    severity: "error",
    title: "A webhook carries no token",
    section: "5",
    fix: "Send `Authorization: Bearer <PLATFORM_TOKEN>` with every webhook.",
  },
  webhook_scheme_wrong: {
    severity: "error",
    title: "The Authorization header holds no bearer token",
    section: "5",
    fix: "Send `Authorization: Bearer <PLATFORM_TOKEN>`: the word Bearer, a space, the token.",
  },
  webhook_token_wrong: {
    severity: "error",
    title: "A webhook carries another token than the PLATFORM_TOKEN",
    section: "5",
    fix: "Send the PLATFORM_TOKEN that the platform gave you; the PROVIDER_TOKEN is for the other direction.",
  },
  webhook_content_type_wrong: {
    severity: "error",
    title: "The body of a webhook is not labelled application/json",
    section: "4.3",
    fix: "Send `Content-Type: application/json`, in UTF-8 and without a content encoding.",
  },
  webhook_body_not_json: {
    severity: "error",
    title: "The body of a webhook is not JSON",
    section: "6",
    fix: "Send a complete JSON document, in UTF-8.",
  },
  webhook_body_too_large: {
    severity: "error",
    title: "The body of a webhook is larger than 64 kB",
    section: "6",
    fix: "Send the four fields of the contract: the platform reads the shift itself.",
  },
  webhook_payload_wrong: {
    severity: "error",
    title: "The payload of a webhook is not as the contract says",
    section: "6",
    fix: "Send event, providerId, content.shiftId and traceId; providerId and traceId are UUIDs with hyphens.",
  },
  webhook_event_unknown: {
    severity: "error",
    title: "A webhook with an event name that the contract does not have",
    section: "6",
    fix: "Send shift.create, shift.update or shift.delete; the platform acknowledges other names and does nothing.",
  },
  webhook_provider_changed: {
    severity: "error",
    title: "Webhooks with the same token name different organisations",
    section: "5",
    fix: "Use each organisation's own PLATFORM_TOKEN: a token speaks for one providerId.",
  },
  webhook_event_missing: {
    severity: "error",
    title: "An event did not come",
    section: "6",
    fix: "Send this event when a shift changes in that way; --expect names the events to wait for.",
  },
  webhook_not_retried: {
    severity: "warning",
    title: "A webhook that was answered with 500 was not sent again",
    section: "6",
    fix: "Send it again until it is answered with 200: after 5 s, 5 min, 30 min, 2 h and later, with the same traceId.",
  },
  webhook_slow_not_retried: {
    severity: "warning",
    title: "A webhook that was given up as too slow was not sent again",
    section: "6",
    fix: "Take an answer that does not come in time for a failure, and send the webhook again with the same traceId.",
  },
  webhook_retry_trace_changed: {
    severity: "error",
    title: "A webhook was sent again under another traceId",
    section: "6",
    fix: "Keep the traceId for every try of one event: the platform knows a repetition by it.",
  },
  webhook_retry_payload_changed: {
    severity: "error",
    title: "A webhook was sent again with another payload",
    section: "6",
    fix: "Store the payload with the event, and send exactly that on every try.",
  },
  webhook_retry_extras_changed: {
    severity: "warning",
    title: "A webhook was sent again with other fields beside those of the contract",
    section: "6",
    fix: "Send the same bytes on every try; the platform keeps only the first.",
  },
  webhook_sent_again: {
    severity: "warning",
    title: "A webhook was sent again although it was acknowledged",
    section: "6",
    fix: "Take any 200 for an acknowledgement, and send each event once.",
  },
  webhook_trace_reused: {
    severity: "warning",
    title: "Two events have the same traceId",
    section: "6",
    fix: "Make a new UUID for each event.",
  },
  skipped_not_sent: {
    severity: "skipped",
    title: "Not checked: the webhook that it needs did not come",
    section: "6",
    fix: "Cause more events while it listens, or give it longer with --timeout.",
  },
} as const satisfies CodeEntries;
