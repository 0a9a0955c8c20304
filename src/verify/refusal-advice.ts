import { isReply, type Reply, type Sent } from "./exchange.ts";
import type { Found } from "./finding.ts";
import { callOf } from "./reporters/report-content.ts";

export function fixOfRefusal({ code, exchange }: Found): string | undefined {
  if (!exchange || !isReply(exchange)) return undefined;
  const { status } = exchange.answer;
  if (code === "lookup_misses" || code === "create_without_effect") {
    return status === 404 ? `${FIND} ${routingHint(exchange.sent)}` : undefined;
  }
  if (code !== "request_refused") return undefined;
  if (status === 404 || status === 405 || status === 501) return missingRoute(exchange);
  const advice = BY_STATUS[status];
  return advice !== undefined && (status === 400 || status === 403)
    ? `${advice} ${routingHint(exchange.sent)}`
    : advice;
}

const FIND =
  "Serve GET /candidates, and find the candidate under their personal number: a missing route returns 404 as well.";

const BY_STATUS: Readonly<Record<number, string>> = {
  400: "Check the provider's log for the reason; the curl command sends exactly what the platform sends.",
  401: "Accept the provider's token on this operation as on the others.",
  403: "Allow the provider's token this operation for this organisation.",
  409: "Return 409 only for a conflict with the current shift or candidate; this request has none.",
  413: "Accept bodies of at least 64 kB.",
  415: "Accept `Content-Type: application/json` for the body of this operation.",
  422: "Check the provider's log for the refused field; the curl command sends exactly what the platform sends.",
};

function missingRoute({ probe, sent, answer }: Reply): string {
  const call = callOf(probe.operation);
  const isObject = answer.status === 404 && probe.path !== undefined;
  const route = isObject ? `Serve ${call}, and find the ids of the request` : `Serve ${call}`;
  return `${route}. ${routingHint(sent)}`;
}

/** Returns how the organisation was sent, and the alternative (contract 4.1). */
export function routingHint(sent: Sent): string {
  return "X-Provider-Id" in sent.headers
    ? "The organisation was sent in the headers X-Provider-Id and X-Platform-Provider-Id; for a provider that reads it from the path, use --routing path."
    : "The organisation was sent in the path, /providers/{providerId}; for a provider that reads it from a header, use --routing header.";
}
