import type { RoutingAttempt } from "../../../generated/operations/types.ts";
import { failureText, knownFailure } from "./failure.ts";
import { after, entryOf } from "./phrases.ts";

const WAYS = { path: "path", header: "headers" } satisfies Record<RoutingAttempt["routing"], string>;

/** `tried by path: GET https://provider.example/providers/…/outlets answered HTTP 404`. */
function attemptText({ routing, url, ...params }: RoutingAttempt): string {
  const { failure, status } = params;
  const isAnswer = status !== undefined && (failure === undefined || failure === "http_error");
  const outcome = isAnswer
    ? `answered ${status}${after(", ", codeText(params))}`
    : `had no usable response (${failureText(params)})`;
  return `tried by ${entryOf(WAYS, routing) ?? routing}: GET ${url} ${outcome}`;
}

/** The calls of a detection, and what each came to. */
export function routingAttemptsText(attempts: readonly RoutingAttempt[]): string {
  return attempts.map(attemptText).join("; ");
}

const codeText = ({ providerCode }: Pick<RoutingAttempt, "providerCode">) =>
  providerCode === undefined ? undefined : knownFailure({ providerCode });
