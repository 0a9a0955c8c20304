import { schemas } from "../../../generated/provider/validators.js";
import { LONGEST_REGISTRY } from "../../clients/provider/http-error.ts";
import { parsePersonalNumber } from "../../contract/personal-number.ts";
import { VARIANT_FIELDS } from "../../contract/shift.ts";
import type { KnownForms } from "../contracts.ts";
import {
  type Exchange,
  isReply,
  type Probe,
  type Reply,
  SHORTEST_KNOWN,
  type Unanswered,
} from "../exchange.ts";
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

/** Reports a response in another form than the provider used before. Unknown forms are not judged. */
export function judgeForms(exchange: Exchange, forms: KnownForms): Found[] {
  if (!isReply(exchange)) return [];
  const notFound = isLookup(exchange.probe) ? notFoundForm(exchange) : undefined;
  const isAssignment = exchange.probe.operation === "assignCandidate";
  return [
    ...judgeVariant(exchange, forms.variant),
    ...judgeForm(exchange, forms.notFound, notFound),
    ...judgeForm(exchange, forms.acknowledgement, isAssignment ? acknowledgementOf(exchange) : undefined),
  ];
}

/** Reports a shift with fields of the other variant only. A provider may send fields of both. */
function judgeVariant(exchange: Reply, variant: "a" | "b" | undefined): Found[] {
  const { status, json } = exchange.answer;
  const { operation } = exchange.probe;
  if (variant === undefined || status !== 200 || (operation !== "getShift" && operation !== "updateShift"))
    return [];
  if (!schemas.Shift(json)) return [];
  const has = (which: "a" | "b") => VARIANT_FIELDS[which].some((mark) => mark in json);
  const other = variant === "a" ? "b" : "a";
  if (has(variant) || !has(other)) return [];
  const [expected, actual] = [variant, other].map((each) => `a shift of variant ${each.toUpperCase()}`);
  return [found("dialect_mixed", { exchange, expected: `${expected}, as before`, actual: actual ?? "" })];
}

const NAMES = {
  empty: "an empty array",
  "404": "404",
  none: "204",
  minimal: "the minimal acknowledgement",
  full: "the full acknowledgement",
};

function judgeForm<Form extends keyof typeof NAMES>(exchange: Reply, known?: Form, form?: Form): Found[] {
  if (known === undefined || form === undefined || form === known) return [];
  return [found("form_mixed", { exchange, expected: `${NAMES[known]}, as before`, actual: NAMES[form] })];
}

/** Whether it is a regular lookup: for an invalid request a 404 may have other reasons. */
function isLookup({ operation, query, rawPath, authorization, providerId, routing }: Probe): boolean {
  if (operation !== "findCandidates" || query?.personalNumber === undefined) return false;
  if ([rawPath, authorization, providerId, routing].some((changed) => changed !== undefined)) return false;
  return parsePersonalNumber(query.personalNumber) !== undefined;
}

/** Returns how a lookup reports no match, or undefined if it found a candidate. */
export function notFoundForm(lookup: Exchange): "empty" | "404" | undefined {
  if (!isReply(lookup)) return undefined;
  const { status, json } = lookup.answer;
  if (status === 404) return "404";
  return status === 200 && Array.isArray(json) && json.length === 0 ? "empty" : undefined;
}

/** Returns the form of an acknowledgement (`none`: 204), or undefined. */
export function acknowledgementOf(exchange: Exchange): "minimal" | "full" | "none" | undefined {
  if (!isReply(exchange)) return undefined;
  const { status, json } = exchange.answer;
  if (status === 204) return "none";
  if (status !== 200) return undefined;
  if (schemas.CompleteDetailedAssignment(json)) return "full";
  return schemas.MinimalAssignment(json) ? "minimal" : undefined;
}
