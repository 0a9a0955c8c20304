import { type Exchange, isReply, type Reply, type Unanswered } from "../exchange.ts";
import { type Found, found } from "../finding.ts";
import { judgeError } from "./error-body.ts";
import { judgeSuccess } from "./success.ts";

/**
 * What is wrong with an answer whatever was asked: every answer of a run goes through here, so that a fault that shows now and
 * then is seen too. Whether the status is right for the request is the check's to say.
 */
export function judge(exchange: Exchange): Found[] {
  const { answer } = exchange;
  if (answer.kind !== "answer") return [unanswered(exchange, answer)];
  return isReply(exchange) ? judgeReply(exchange) : [];
}

function judgeReply(exchange: Reply): Found[] {
  return [...judgeStatus(exchange), ...judgeLeak(exchange)];
}

const SHORTEST_TOKEN = 8;

/** An answer is logged and stored in places where a token must not be. */
function judgeLeak(exchange: Reply): Found[] {
  const token = exchange.sent.headers.Authorization?.split(" ").at(-1) ?? "";
  if (token.length < SHORTEST_TOKEN || !exchange.answer.text.includes(token)) return [];
  const expected = "an answer without the token";
  return [found("token_leaked", { exchange, expected, actual: "the token of the request is in the body" })];
}

function judgeStatus(exchange: Reply): Found[] {
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
  return kind === "hung"
    ? found("no_answer", { ...advice, expected: "an answer within the time limit" })
    : found("connection_broken", { ...advice, expected: "a complete HTTP answer" });
}

/** Of two forms of unassignment one may be missing, and the registry is optional: 501 says so too. */
function isNotOffered({ probe, answer }: Exchange): boolean {
  const optional = ["unassignCandidate", "deleteAssignment", "getCandidateRegistry"];
  return answer.kind === "answer" && answer.status === 501 && optional.includes(probe.operation);
}

function serverError(exchange: Exchange & { answer: { status: number } }): Found {
  const expected = "a 2xx, or a 4xx that says what is wrong with the request";
  return found("server_error", { exchange, expected, actual: `status ${exchange.answer.status}` });
}

function rateLimited(exchange: Exchange): Found {
  const expected = "room for the platform's calls, or an end of the waiting";
  return found("rate_limited", { exchange, expected, actual: "status 429 after every wait" });
}

function redirected(exchange: Reply): Found {
  const expected = "an answer at this address";
  const address = finalAddressOf(exchange);
  const cause = `status ${exchange.answer.status}`;
  if (address === undefined)
    return found("redirected", { exchange, expected, actual: `${cause} without Location` });
  const fix = `Give the final address: call ${address} instead. The platform follows no redirects, because they would carry its token elsewhere.`;
  return found("redirected", { exchange, expected, cause, actual: `${cause}, Location: ${address}`, fix });
}

/** Where a redirect leads, without its query, which may hold a personal number or a token; undefined when it does not say. */
export function finalAddressOf({ answer, sent }: Reply): string | undefined {
  const address = URL.parse(answer.headers.location ?? "", sent.url);
  return answer.headers.location && address ? `${address.origin}${address.pathname}` : undefined;
}
