import type { RoutingAttempt } from "../../../generated/operations/types.ts";
import { failureText, knownFailure } from "./failure.ts";
import { after, entryOf } from "./phrases.ts";

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
