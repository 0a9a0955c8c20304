import { operationsTable } from "../../../generated/provider/server.ts";
import { schemas } from "../../../generated/provider/validators.js";
import type { FieldError, Validator } from "../../../generated/runtime/validator.ts";
import { type Found, found } from "../finding.ts";
import type { OperationId, Reply } from "../target.ts";
import { judgeAssignment, judgeCandidate, judgeList, judgeRegistry } from "./bodies.ts";
import { judgeShift } from "./shift-body.ts";

interface Rule {
  /** What the platform needs to read; undefined: the contract does not say what the body is. */
  needed?: Validator<unknown>;
  /** What a provider should send. */
  complete?: (body: unknown) => Validator<unknown>;
  /** What no schema says. */
  more?: (body: never, exchange: Reply) => Found[];
}

const each = (validator: Validator<unknown>): Validator<unknown> => listOf(validator);

/** For each operation what a success holds. */
const RULES: Readonly<Record<OperationId, Rule>> = {
  getShift: { needed: schemas.Shift, complete: completeShift, more: judgeShift },
  updateShift: {},
  cancelShift: {},
  assignCandidate: { needed: schemas.Assignment, more: judgeAssignment },
  unassignCandidate: {},
  deleteAssignment: {},
  findCandidates: {
    needed: each(schemas.Candidate),
    complete: () => each(schemas.CompleteCandidate),
    more: judgeList(judgeCandidate),
  },
  createCandidate: {
    needed: schemas.Candidate,
    complete: () => schemas.CompleteCandidate,
    more: judgeCandidate,
  },
  getCandidateRegistry: { needed: schemas.CandidateRegistry, more: judgeRegistry },
  listOutlets: {
    needed: each(schemas.Outlet),
    complete: () => each(schemas.CompleteOutlet),
    more: judgeList(),
  },
  listRoles: { needed: each(schemas.Role), more: judgeList() },
};

const DECLARED = new Map(
  operationsTable.map(({ operationId, responses }) => [
    operationId,
    Object.keys(responses)
      .map(Number)
      .filter((status) => status < 300),
  ]),
);

export function judgeSuccess(exchange: Reply): Found[] {
  const { operation } = exchange.probe;
  const { status, text } = exchange.answer;
  const declared = DECLARED.get(operation) ?? [];
  const wrongStatus = declared.includes(status) ? [] : [statusWrong(exchange, declared)];
  const rule = RULES[operation];
  if (status === 204 || status === 205) return wrongStatus;
  if (!rule.needed) return [...wrongStatus, ...judgeFree(exchange)];
  if (text.trim() === "") return [...wrongStatus, bodyMissing(exchange)];
  return [...wrongStatus, ...judgeLabel(exchange), ...judgeBody(exchange, rule, rule.needed)];
}

function statusWrong(exchange: Reply, declared: readonly number[]): Found {
  const expected = `status ${declared.join(" or ")}`;
  return found("status_wrong", { exchange, expected, actual: `status ${exchange.answer.status}` });
}

function bodyMissing(exchange: Reply): Found {
  const actual = `status ${exchange.answer.status} with an empty body`;
  return found("body_missing", { exchange, expected: "a JSON body", actual });
}

/** PUT /shifts/{id} and the unassignments: what they answer with is not shown; what is there must still be sane. */
function judgeFree(exchange: Reply): Found[] {
  const { json, text } = exchange.answer;
  if (text.trim() === "") return [];
  if (json === undefined) {
    const isLabelled = /[/+]json/i.test(exchange.answer.headers["content-type"] ?? "");
    return isLabelled ? [notJson(exchange)] : [];
  }
  if (saysNo(json)) return [denied(exchange)];
  return exchange.probe.operation === "updateShift" && isShiftLike(json) ? judgeUpdated(exchange, json) : [];
}

/** Members that the contract knows must be right; those that are missing may be missing here. */
function judgeUpdated(exchange: Reply, json: object): Found[] {
  if (schemas.Shift(json)) return [...judgeLabel(exchange), ...judgeShift(json, exchange)];
  const errors = schemas.Shift.errorsOf(json).filter(({ message }) => message !== "is missing");
  return errors.length === 0 ? [] : [fieldWrong(exchange, errors)];
}

const isShiftLike = (json: unknown): json is object =>
  typeof json === "object" && json !== null && ("startTime" in json || "endTime" in json);

const saysNo = (json: unknown) => (json as { success?: unknown } | null)?.success === false;

function denied(exchange: Reply): Found {
  const actual = `status ${exchange.answer.status} with "success": false`;
  return found("success_denied", { exchange, expected: "a 4xx for a refusal", actual });
}

function notJson(exchange: Reply): Found {
  const actual = `status ${exchange.answer.status} with a body that is not JSON`;
  return found("body_not_json", { exchange, expected: "a JSON body", actual });
}

/** What bytes that are no UTF-8 are read as. */
const REPLACEMENT = "\uFFFD";

function notUtf8(exchange: Reply): Found {
  const actual = `status ${exchange.answer.status} with bytes that are no UTF-8`;
  return found("body_not_json", { exchange, expected: "JSON in UTF-8", actual });
}

function judgeLabel(exchange: Reply): Found[] {
  const type = exchange.answer.headers["content-type"];
  const expected = "Content-Type: application/json";
  if (exchange.answer.json === undefined) return [notJson(exchange)];
  if (exchange.answer.text.includes(REPLACEMENT)) return [notUtf8(exchange)];
  if (type === undefined)
    return [found("content_type_missing", { exchange, expected, actual: "no Content-Type" })];
  if (/^application\/([\w.-]+\+)?json\b/i.test(type)) return [];
  return [found("content_type_wrong", { exchange, expected, actual: `Content-Type: ${type.split(";")[0]}` })];
}

function judgeBody(exchange: Reply, { complete, more }: Rule, needed: Validator<unknown>): Found[] {
  const { json } = exchange.answer;
  if (json === undefined) return [];
  if (exchange.probe.operation === "assignCandidate" && saysNo(json)) return [denied(exchange)];
  if (!needed(json)) return judgeErrors(exchange, needed.errorsOf(json));
  const odd = complete?.(json).errorsOf(json) ?? [];
  return [...(more?.(json as never, exchange) ?? []), ...judgeOdd(exchange, odd)];
}

/** A shift's fields have the types and values that the contract lists (2.2), also those that the platform can do without. */
function judgeOdd(exchange: Reply, odd: readonly FieldError[]): Found[] {
  const isWrong = ({ message }: FieldError) => /^must be (of type|one of)/.test(message);
  const wrong = exchange.probe.operation === "getShift" ? odd.filter(isWrong) : [];
  const rest = odd.filter((error) => !wrong.includes(error));
  return [
    ...(wrong.length > 0 ? [fieldWrong(exchange, wrong)] : []),
    ...(rest.length > 0 ? [recommended(exchange, rest)] : []),
  ];
}

function judgeErrors(exchange: Reply, errors: readonly FieldError[]): Found[] {
  const missing = errors.filter(({ message }) => message === "is missing");
  const wrong = errors.filter(({ message }) => message !== "is missing");
  return [
    ...(missing.length > 0 ? [fieldMissing(exchange, missing)] : []),
    ...(wrong.length > 0 ? [fieldWrong(exchange, wrong)] : []),
  ];
}

function fieldMissing(exchange: Reply, errors: readonly FieldError[]): Found {
  return found("field_missing", {
    exchange,
    expected: "every field that the contract lists",
    actual: places(errors),
  });
}

function fieldWrong(exchange: Reply, errors: readonly FieldError[]): Found {
  return found("field_wrong", {
    exchange,
    expected: "the types and forms of the contract",
    actual: places(errors),
  });
}

function recommended(exchange: Reply, errors: readonly FieldError[]): Found {
  return found("field_recommended", { exchange, expected: "the complete object", actual: places(errors) });
}

const MOST_PLACES = 6;

/** Places and not values; entries of a list are one place, so that two runs say the same. */
function places(errors: readonly FieldError[]): string {
  const lines = errors.map(
    ({ pointer, message }) => `${pointer.replaceAll(/\/\d+(?=\/|$)/g, "/*") || "the body"} ${message}`,
  );
  const unique = [...new Set(lines)];
  const more = unique.length > MOST_PLACES ? [`and ${unique.length - MOST_PLACES} more`] : [];
  return [...unique.slice(0, MOST_PLACES), ...more].join("; ");
}

function completeShift(body: unknown): Validator<unknown> {
  return schemas.ShiftVariantB(body) ? schemas.CompleteShiftVariantB : schemas.CompleteShiftVariantA;
}

/** A list of what the validator takes. */
function listOf(validator: Validator<unknown>): Validator<unknown> {
  const isList = (value: unknown): value is unknown =>
    Array.isArray(value) && value.every((item) => validator(item));
  const errorsOf = (value: unknown): FieldError[] => {
    if (!Array.isArray(value)) return [{ pointer: "", message: "must be of type array" }];
    return value.flatMap((item, index) =>
      validator.errorsOf(item).map(({ pointer, message }) => ({ pointer: `/${index}${pointer}`, message })),
    );
  };
  return Object.assign(isList, { errorsOf });
}
