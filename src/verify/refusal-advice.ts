import { isReply, type OperationId, type Sent } from "./exchange.ts";
import type { Found } from "./finding.ts";
import { callOf } from "./reporters/report-content.ts";

export function fixOfRefusal({ code, exchange }: Found): string | undefined {
  if (!exchange || !isReply(exchange)) return undefined;
  const { probe, sent, answer } = exchange;
  const { status } = answer;
  const serve = `Serve ${routeOf(probe.operation, sent)}`;
  if (code === "lookup_misses" || code === "create_without_effect") {
    return status === 404 ? `${serve}, ${FIND}` : undefined;
  }
  if (code !== "request_refused") return undefined;
  if (status === 404 && probe.path) return `${serve}, and find the ids of the request.`;
  if (status === 404 || status === 405 || status === 501) return `${serve}.`;
  return status === 415 && sent.body === undefined ? NO_BODY : BY_STATUS[status];
}

const FIND = "and find the candidate under their personal number: a missing route returns 404 as well.";
const NO_BODY = "Accept this request without a body and without a Content-Type: the contract defines none.";

const BY_STATUS: Readonly<Record<number, string>> = {
  400: "Check the provider's log for the reason; the curl command sends exactly what the platform sends.",
  401: "Accept the provider's token on this operation as on the others.",
  403: "Allow the provider's token this operation for this organisation.",
  409: "Return 409 only for a conflict with the current shift or candidate; this request has none.",
  413: "Accept bodies of at least 64 kB.",
  415: "Accept `Content-Type: application/json` for the body of this operation.",
  422: "Check the provider's log for the refused field; the curl command sends exactly what the platform sends.",
};

/** The fix for a body that is refused, if a smaller one is accepted. */
export const UNKNOWN_FIELDS =
  "Accept a body with fields that the provider does not know, and ignore these (Jackson: FAIL_ON_UNKNOWN_PROPERTIES = false).";

/** Returns the call as it was sent: `GET /providers/{providerId}/outlets`. */
export function routeOf(operation: OperationId, sent: Sent): string {
  return isInHeaders(sent) ? callOf(operation) : callOf(operation).replace(" ", " /providers/{providerId}");
}

const isInHeaders = ({ headers }: Sent) => "X-Provider-Id" in headers;

/** Returns how the organisation was sent, and the alternative (contract 4.1), for a provider whose routing is unknown. */
export function routingHint(sent: Sent): string {
  return isInHeaders(sent)
    ? "The organisation was sent in the headers X-Provider-Id and X-Platform-Provider-Id; for a provider that reads it from the path, use --routing path."
    : "The organisation was sent in the path, /providers/{providerId}; for a provider that reads it from a header, use --routing header.";
}
