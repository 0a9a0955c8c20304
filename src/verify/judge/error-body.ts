import { schemas } from "../../../generated/provider/validators.js";
import type { Reply } from "../exchange.ts";
import { type Found, found } from "../finding.ts";
import { isObject } from "../json-object.ts";
import { messageBefore } from "./success.ts";

/** A leak is searched in the start of a body. Characters. */
const EXAMINED = 50_000;

const STACK_TRACE = /Traceback \(most recent call last\)|goroutine \d{1,9} \[|\.php on line \d/;
/** A line of a stack trace of JavaScript, Java, Kotlin or C#, without its indentation. */
const STACK_FRAMES = [/^at \D.*[\w./\\-]:\d{1,9}:\d{1,9}\)?$/, /^at [\w.$]+\(\w+\.(?:java|kt|cs):\d/];
const DATABASE = /\bSQLSTATE\b|\bORA-\d{5}\b|syntax error at or near/;

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
  // JSON writes the lines of a stack trace in one.
  const text = exchange.answer.text.slice(0, EXAMINED).replaceAll(/\\[nrt]/g, "\n");
  const shown =
    STACK_TRACE.test(text) || text.split(/[\r\n]/).some((line) => isStackFrame(line.trim()))
      ? "a stack trace"
      : DATABASE.test(text) || holdsStatement(text)
        ? "a database message"
        : undefined;
  if (shown === undefined) return [];
  return [found("error_leaks", { exchange, expected: "what is wrong with the request", actual: shown })];
}

const isStackFrame = (line: string) => STACK_FRAMES.some((pattern) => pattern.test(line));

/** The most words between SELECT and FROM. */
const LONGEST_SELECT = 30;

/** Whether the text holds an SQL statement. Prose such as "select from the list" does not count. */
function holdsStatement(text: string): boolean {
  if (!/SELECT|INSERT INTO|UPDATE|DELETE FROM/.test(text)) return false;
  const words = text.split(/\s+/);
  let selectedAt = Number.NEGATIVE_INFINITY;
  return words.some((word, index) => {
    const next = words[index + 1];
    const second = words[index + 2];
    if (word.endsWith("SELECT")) selectedAt = index;
    if (/[<>]/.test(word)) selectedAt = Number.NEGATIVE_INFINITY;
    if (word.endsWith("INSERT") && next === "INTO") return second !== undefined;
    if (word.endsWith("DELETE") && next === "FROM") return second !== undefined;
    if (word.endsWith("UPDATE") && second === "SET") return words[index + 3] !== undefined;
    const isSelected = word === "FROM" && index - selectedAt <= LONGEST_SELECT;
    return isSelected && /^(?:WHERE|JOIN|ORDER|LIMIT)\b/.test(second ?? "");
  });
}

function notProblem(exchange: Reply, actual: string): Found {
  const expected = "application/problem+json (RFC 9457) with a code";
  return found("error_not_problem", { exchange, actual, expected });
}

function judgeJson(exchange: Reply): Found[] {
  if (exchange.answer.text !== "" && exchange.answer.json === undefined) return [broken(exchange)];
  return [notProblem(exchange, "JSON of another form")];
}

function broken(exchange: Reply): Found {
  const { status, text } = exchange.answer;
  const actual = `status ${status} with a body that is not JSON`;
  const expected = "JSON, as in the Content-Type";
  return found("error_body_broken", { exchange, expected, actual, ...messageBefore(text) });
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
