import { LONGEST_REGISTRY } from "../../clients/provider/http-error.ts";
import { type Exchange, isReply, type Reply, SHORTEST_KNOWN, type Unanswered } from "../exchange.ts";
import { type Found, found, type Skipped, skipped } from "../finding.ts";
import { routeOf } from "../refusal-advice.ts";
import { judgeError } from "./error-body.ts";
import { judgeSuccess } from "./success.ts";

/**
 * Judges a response independently of the request. Every response of a run is judged, so that occasional faults are detected.
 * The checks judge whether the status is right for the request.
 */
export function judge(exchange: Exchange): (Found | Skipped)[] {
  const { answer } = exchange;
  if (answer.kind !== "answer") return [unanswered(exchange, answer)];
  return isReply(exchange) ? [...judgeStatus(exchange), ...judgeLeak(exchange)] : [];
}

/** Reports a response that contains the token: responses are logged and stored. */
function judgeLeak(exchange: Reply): Found[] {
  const token = exchange.sent.headers.Authorization?.split(" ").at(-1) ?? "";
  if (token.length < SHORTEST_KNOWN || !exchange.answer.text.includes(token)) return [];
  const expected = "a response without the token";
  return [found("token_leaked", { exchange, expected, actual: "the token of the request is in the body" })];
}

function judgeStatus(exchange: Reply): (Found | Skipped)[] {
  const { status } = exchange.answer;
  if (status >= 200 && status < 300) return judgeSuccess(exchange);
  if (status >= 500 && !isNotOffered(exchange)) return [serverError(exchange)];
  if (status === 429) return [rateLimited(exchange)];
  if (status >= 400) return judgeError(exchange);
  return [redirected(exchange)];
}

function unanswered(exchange: Exchange, answer: Unanswered): Found {
  const { kind, reason: actual, fix } = answer;
  const advice = { exchange, actual, ...(fix !== undefined && { fix }) };
  if (answer.isTooLong && exchange.probe.operation === "getCandidateRegistry") {
    const expected = `a page of the registry of at most ${LONGEST_REGISTRY / 1_000_000} MB`;
    return found("registry_too_long", { exchange, actual, expected });
  }
  return kind === "hung"
    ? found("no_answer", { ...advice, expected: "a response within the time limit" })
    : found("connection_broken", { ...advice, expected: "a complete HTTP response" });
}

/** Whether an optional operation is not offered: one form of unassignment, or the registry. */
function isNotOffered({ probe, answer }: Exchange): boolean {
  const optional = ["unassignCandidate", "deleteAssignment", "getCandidateRegistry"];
  return answer.kind === "answer" && answer.status === 501 && optional.includes(probe.operation);
}

function serverError(exchange: Reply): Found {
  const expected = "a 2xx, or a 4xx that describes the error in the request";
  return found("server_error", { exchange, expected, actual: `status ${exchange.answer.status}` });
}

/** The provider may be right to limit the rate, so that nothing is known about the request. */
function rateLimited({ probe }: Reply): Skipped {
  return skipped("skipped_rate_limited", probe.operation, "every response", "status 429 after every wait");
}

function redirected(exchange: Reply): Found {
  const expected = "a response at this address";
  const address = finalAddressOf(exchange);
  const cause = `status ${exchange.answer.status}`;
  if (address === undefined)
    return found("redirected", { exchange, expected, actual: `${cause} without Location` });
  if (leadsToSlash(exchange)) {
    const actual = `${cause}, to the same path with a slash at its end`;
    const fix = `Serve ${routeOf(exchange.probe.operation, exchange.sent)} without a slash at its end: the platform sends none, and follows no redirect.`;
    return found("redirected", { exchange, expected, cause: actual, actual, fix });
  }
  const fix = `Use the final address: ${address}. The platform does not follow redirects, because they would forward its token.`;
  return found("redirected", { exchange, expected, cause, actual: `${cause}, Location: ${address}`, fix });
}

function leadsToSlash(exchange: Reply): boolean {
  const { origin, pathname } = new URL(exchange.sent.url);
  return finalAddressOf(exchange) === `${origin}${pathname}/`;
}

/** Returns the target of a redirect without its query, which may contain a personal number or token. */
export function finalAddressOf({ answer, sent }: Reply): string | undefined {
  const address = URL.parse(answer.headers.location ?? "", sent.url);
  return answer.headers.location && address ? `${address.origin}${address.pathname}` : undefined;
}
