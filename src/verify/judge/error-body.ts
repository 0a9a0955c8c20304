import { schemas } from "../../../generated/provider/validators.js";
import type { Reply } from "../exchange.ts";
import { type Found, found } from "../finding.ts";
import { isObject } from "../json-object.ts";

const STACK_TRACE =
  /Traceback \(most recent call last\)|^\s+at .+\(?[\w./\\-]+:\d+:\d+\)?$|^\s*at [\w.$]+\([\w]+\.(?:java|kt|cs):\d+\)|goroutine \d+ \[|\.php on line \d+/m;

/** Database statements and messages, but not prose such as "select from the list". */
const DATABASE =
  /\bSELECT\s[^<>]{1,200}?\sFROM\s+\S+\s+(?:WHERE|JOIN|ORDER|LIMIT)\b|\bINSERT INTO\s+\S+|\bUPDATE\s+\S+\s+SET\s|\bDELETE FROM\s+\S+|\bSQLSTATE\b|\bORA-\d{5}\b|syntax error at or near/;

/** Judges the body of a 4xx. The contract does not define it (7.5): only a contradiction to its Content-Type is an error. */
export function judgeError(exchange: Reply): Found[] {
  const { headers, text } = exchange.answer;
  const type = headers["content-type"] ?? "";
  const leak = judgeLeak(exchange);
  if (/^application\/problem\+json/i.test(type)) return [...judgeProblem(exchange), ...leak];
  if (/[/+]json/i.test(type)) return [...judgeJson(exchange), ...leak];
  const actual = text === "" ? "an empty body" : `a body of type ${type.split(";")[0] || "unknown"}`;
  return [...leak, notProblem(exchange, actual)];
}

function judgeLeak(exchange: Reply): Found[] {
  const { text } = exchange.answer;
  const shown = STACK_TRACE.test(text)
    ? "a stack trace"
    : DATABASE.test(text)
      ? "a database message"
      : undefined;
  if (shown === undefined) return [];
  return [found("error_leaks", { exchange, expected: "what is wrong with the request", actual: shown })];
}

function notProblem(exchange: Reply, actual: string): Found {
  return found("error_not_problem", {
    ...{ operation: "provider", exchange, actual },
    expected: "application/problem+json (RFC 9457) with a code",
  });
}

function judgeJson(exchange: Reply): Found[] {
  if (exchange.answer.text !== "" && exchange.answer.json === undefined) return [broken(exchange)];
  return [notProblem(exchange, "JSON of another form")];
}

function broken(exchange: Reply): Found {
  return found("error_body_broken", {
    ...{ exchange, expected: "JSON, as in the Content-Type" },
    actual: `status ${exchange.answer.status} with a body that is not JSON`,
  });
}

/** Judges a problem document (RFC 9457). Members are optional, but must have their type, and `status` must match. */
function judgeProblem(exchange: Reply): Found[] {
  const { json, status } = exchange.answer;
  if (json === undefined) return [broken(exchange)];
  const wrong = wrongMembers(json, status);
  if (wrong.length > 0) {
    const expected = "a problem document (RFC 9457) that agrees with the status";
    return [found("error_body_broken", { exchange, expected, actual: wrong.join("; ") })];
  }
  return schemas.Problem(json)
    ? []
    : [notProblem(exchange, "a problem document without type, title, status or code")];
}

function wrongMembers(members: unknown, status: number): string[] {
  if (!isObject(members)) return ["it is not a JSON object"];
  const texts = ["type", "title", "detail", "instance"].filter(
    (name) => members[name] !== undefined && members[name] !== null && typeof members[name] !== "string",
  );
  const isOther = members.status !== undefined && members.status !== null && members.status !== status;
  return [
    ...texts.map((name) => `${name} is not a string`),
    ...(isOther ? [`its status differs from ${status}`] : []),
  ];
}
