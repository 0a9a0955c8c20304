import { operationsTable } from "../../../generated/provider/server.ts";
import type { Assignment, Candidate, CandidateRegistry } from "../../../generated/provider/types.ts";
import { schemas } from "../../../generated/provider/validators.js";
import { MOST_ENTRIES, tooMany } from "../../clients/provider/http-error.ts";
import { looksLikePersonalNumber, parsePersonalNumber } from "../../contract/personal-number.ts";
import { isTooDeep, MOST_DEPTH } from "../../runtime/json.ts";
import { type FieldError, MAX_ERRORS_OF_LIST, type Validator } from "../../runtime/validator.ts";
import type { Code } from "../codes/codes.ts";
import type { OperationId, Reply } from "../exchange.ts";
import { type Found, found } from "../finding.ts";
import { isObject } from "../json-object.ts";
import { fieldFaults, pathOf, shown } from "./field-faults.ts";
import { judgeShift, judgeTimes } from "./shift-body.ts";

interface Rule {
  /** What the platform must be able to read; undefined if the contract does not define the body. */
  needed?: Validator<unknown>;
  /** What a provider should send. */
  complete?: (body: unknown) => Validator<unknown>;
  /** Rules that no schema can express. */
  more?: (body: never, exchange: Reply) => Found[];
}

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
  const expected = `status ${declared.join(" or ")}`;
  const statusWrong = found("status_wrong", { exchange, expected, actual: `status ${status}` });
  const wrongStatus = declared.includes(status) ? [] : [statusWrong];
  const rule = RULES[operation];
  if (status === 204 || status === 205) return wrongStatus;
  if (!rule.needed) return [...wrongStatus, ...judgeFree(exchange)];
  if (text.trim() === "") {
    const actual = `status ${status} with an empty body`;
    return [...wrongStatus, found("body_missing", { exchange, expected: "a JSON body", actual })];
  }
  return [...wrongStatus, ...judgeLabel(exchange), ...judgeBody(exchange, rule, rule.needed)];
}

/** Judges the body of updates and unassignments. The contract does not define it, but it must be plausible. */
function judgeFree(exchange: Reply): Found[] {
  const { json, text } = exchange.answer;
  if (text.trim() === "") return [];
  if (json === undefined) {
    const isLabelled = /[/+]json/i.test(exchange.answer.headers["content-type"] ?? "");
    return isLabelled ? [notJson(exchange)] : [];
  }
  if (reportsFailure(json)) return [denied(exchange)];
  if (exchange.probe.operation === "deleteAssignment" && !schemas.CompleteUnassignment(json)) {
    const expected = '204, or 200 with {"success": true}';
    return [found("field_missing", { exchange, expected, actual: "200 with a body without success" })];
  }
  return exchange.probe.operation === "updateShift" && isShiftLike(json) ? judgeUpdated(exchange, json) : [];
}

/** Judges the known members of an updated shift. Members may be missing. */
function judgeUpdated(exchange: Reply, json: object): Found[] {
  if (schemas.Shift(json)) return [...judgeLabel(exchange), ...judgeShift(json, exchange)];
  const errors = schemas.Shift.errorsOf(json).filter(({ message }) => message !== "is missing");
  return fieldFaults("field_wrong", exchange, errors);
}

const isShiftLike = (json: unknown): json is object =>
  typeof json === "object" && json !== null && ("startTime" in json || "endTime" in json);

const reportsFailure = (json: unknown) => (json as { success?: unknown } | null)?.success === false;

function denied(exchange: Reply): Found {
  const actual = `status ${exchange.answer.status} with "success": false`;
  return found("success_denied", { exchange, expected: "a 4xx for a refusal", actual });
}

function notJson(exchange: Reply): Found {
  const { status, text, headers } = exchange.answer;
  const notJson = `status ${status} with a body that is not JSON`;
  const of = (actual: string, fix?: string, cause = fix ?? "not JSON") =>
    found("body_not_json", { exchange, expected: "a JSON body", actual, cause, ...(fix && { fix }) });
  if (isTooDeep(text)) {
    return of(`status ${status} with lists and objects nested more than ${MOST_DEPTH} deep`, TOO_DEEP);
  }
  const message = messageBefore(text);
  if (message) return of(message.actual, message.fix, message.actual);
  if (/^\s*</.test(text)) return of(`status ${status} with a web page`, WEB_PAGE);
  const announced = headers["content-length"];
  const isCut = /^\s*[[{]/.test(text) && Number(announced) === Buffer.byteLength(text);
  if (isCut && isUnfinished(text)) {
    return of(`${notJson}: it ends after the ${announced} bytes that Content-Length announces`, CUT);
  }
  return of([notJson, ...faultIn(text)].join(": "));
}

const TOO_DEEP = "Send flat JSON, as the contract has it.";
const WEB_PAGE = "Return JSON: a web page comes from a gateway, a login page or a development server.";

/** Describes a message that the runtime printed before the JSON, without digits that may be personal data. */
export function messageBefore(text: string): { actual: string; fix: string } | undefined {
  const start = text
    .slice(0, 1_000)
    .replaceAll(/<[^<>]{0,99}>/g, "")
    .trim();
  if (!/^(PHP )?(Warning|Notice|Deprecated|Fatal error|Parse error|Traceback)\b/.test(start))
    return undefined;
  const [line = ""] = start.split("\n");
  const shown = JSON.stringify(line.replaceAll(/\d{6,}/g, "…").slice(0, 80));
  return { actual: `a body that begins with ${shown}`, fix: PRINTED };
}

/** How to fix a message in the body: every operation may print the same one. */
export const PRINTED =
  "Log messages instead of printing them before the JSON (in PHP: display_errors=0), and repair their cause.";

function syntaxErrorOf(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return error instanceof SyntaxError ? error.message : "";
  }
}

const isUnfinished = (text: string) => /^Un(expected end|terminated string)/.test(syntaxErrorOf(text));

/** Returns the byte at which the body stops being JSON, and why, if the parser says so. */
function faultIn(text: string): string[] {
  const [, reason, position] = /^(.+?) in JSON at position (\d+)/.exec(syntaxErrorOf(text)) ?? [];
  if (reason === undefined || /["'“]/.test(reason.replaceAll(/'.'/gu, ""))) return [];
  const offset = Buffer.byteLength(text.slice(0, Number(position)));
  return [`${reason.toLowerCase()} at byte ${offset}`];
}

const CUT =
  "Send complete JSON, and count Content-Length in bytes: a letter like å is one character and two bytes.";

const UTF8 = "JSON in UTF-8";
/** Replaces invalid UTF-8. */
const REPLACEMENT = "\uFFFD";

function judgeLabel(exchange: Reply): Found[] {
  const { headers, json, text, status, hasMark } = exchange.answer;
  const type = headers["content-type"];
  const expected = "Content-Type: application/json";
  if (json === undefined) return [notJson(exchange)];
  if (text.includes(REPLACEMENT)) {
    const actual = `status ${status} with bytes that are not UTF-8`;
    return [found("body_not_json", { exchange, expected: UTF8, actual, cause: UTF8 })];
  }
  if (hasMark) {
    const [expected, actual] = ["JSON in its first byte", "bytes EF BB BF before it"];
    return [found("byte_order_mark", { exchange, expected, actual })];
  }
  if (type === undefined)
    return [found("content_type_missing", { exchange, expected, actual: "no Content-Type" })];
  if (/^application\/([\w.-]+\+)?json\b/i.test(type)) return [];
  return [found("content_type_wrong", { exchange, expected, actual: `Content-Type: ${type.split(";")[0]}` })];
}

function judgeBody(exchange: Reply, { complete, more }: Rule, needed: Validator<unknown>): Found[] {
  const { json } = exchange.answer;
  if (json === undefined) return [];
  if (exchange.probe.operation === "assignCandidate" && reportsFailure(json)) return [denied(exchange)];
  if (!needed(json)) return wrapped(exchange, needed) ?? judgeErrors(exchange, needed.errorsOf(json));
  const reported = more?.(json as never, exchange) ?? [];
  const odd = complete?.(json).errorsOf(json) ?? [];
  const unreported = odd.filter((error) => !isReported(error, reported));
  return [...reported, ...judgeOdd(exchange, unreported)];
}

/** Reports a page around a list, or an envelope around an object. */
function wrapped(exchange: Reply, needed: Validator<unknown>): Found[] | undefined {
  const { json } = exchange.answer;
  const [name, value] = (isObject(json) && Object.entries(json).find(([, each]) => needed(each))) || [];
  if (name === undefined) return undefined;
  const thing = Array.isArray(value) ? "list" : "object";
  const actual = `the ${thing} is inside an object, in \`${name}\``;
  const fix = `Return each list and each object itself, without an object with \`${name}\` around it.`;
  return [found("field_wrong", { exchange, expected: `the ${thing} itself`, actual, cause: fix, fix })];
}

/** Fields by the code that reports them: the complete schema must not report them again. */
const REPORTED_BY: Readonly<Partial<Record<Code, RegExp>>> = {
  shift_id_not_uuid: /^id$/,
  time_without_offset: /(Time|At)$/,
  time_invalid: /(Time|At|date)$/,
  positions_missing: /^(slots|numberOfPositions)$/,
  field_missing: /^assignedCandidates/,
  personal_number_wrong: /personalNumber$/,
};

function isReported({ pointer }: FieldError, reported: readonly Found[]): boolean {
  return reported.some(({ code }) => REPORTED_BY[code]?.test(pathOf(pointer)));
}

/** Reports wrong types and values in optional fields of a shift as errors (2.2), all others as warnings. */
function judgeOdd(exchange: Reply, odd: readonly FieldError[]): Found[] {
  const isWrong = ({ message }: FieldError) => /^must be (of type|one of)/.test(message);
  const wrong = exchange.probe.operation === "getShift" ? odd.filter(isWrong) : [];
  const rest = odd.filter((error) => !wrong.includes(error));
  return [
    ...fieldFaults("field_wrong", exchange, wrong),
    ...fieldFaults("field_recommended", exchange, rest),
  ];
}

function judgeErrors(exchange: Reply, errors: readonly FieldError[]): Found[] {
  const missing = errors.filter(({ message }) => message === "is missing");
  const wrong = errors.filter(({ message }) => message !== "is missing");
  return [...fieldFaults("field_missing", exchange, missing), ...fieldFaults("field_wrong", exchange, wrong)];
}

function completeShift(body: unknown): Validator<unknown> {
  return schemas.ShiftVariantB(body) ? schemas.CompleteShiftVariantB : schemas.CompleteShiftVariantA;
}

/** Returns a validator for lists of such items. */
function each(validator: Validator<unknown>): Validator<unknown> {
  const isList = (value: unknown): value is unknown =>
    Array.isArray(value) && value.length <= MOST_ENTRIES && value.every((item) => validator(item));
  const errorsOf = (value: unknown): FieldError[] => {
    if (!Array.isArray(value)) return [{ pointer: "", message: "must be of type array" }];
    if (value.length > MOST_ENTRIES) return [{ pointer: "", message: tooMany(MOST_ENTRIES) }];
    return entryErrors(value, validator);
  };
  return Object.assign(isList, { errorsOf });
}

function entryErrors(list: readonly unknown[], validator: Validator<unknown>): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, item] of list.entries()) {
    if (validator(item)) continue;
    for (const { pointer, message } of validator.errorsOf(item)) {
      errors.push({ pointer: `/${index}${pointer}`, message });
    }
    if (errors.length >= MAX_ERRORS_OF_LIST) break;
  }
  return errors;
}

/** Judges an acknowledgement: ids in it must be the requested ones (decisions, "assign response"). */
function judgeAssignment(body: Assignment, exchange: Reply): Found[] {
  const asked = exchange.probe.path ?? {};
  const others = (["shiftId", "candidateId"] as const).filter((name) => differs(body[name], asked[name]));
  const expected = "the requested ids";
  const actual = others.map((name) => `${name}: received ${shown(body[name], name)}`).join("; ");
  const times = judgeTimes({ assignedAt: body.assignedAt }, exchange);
  if (others.length === 0) return times;
  return [found("id_mismatch", { exchange, expected, actual, cause: expected }), ...times];
}

const differs = (received: string | undefined, asked: string | undefined) =>
  received !== undefined && asked !== undefined && received.toLowerCase() !== asked.toLowerCase();

interface Entry {
  id: string;
}

/** Returns a judge for lists: each id must be unique. */
function judgeList<E extends Entry>(judgeEntry: (entry: E, exchange: Reply) => Found[] = () => []) {
  return (body: readonly E[], exchange: Reply): Found[] => [
    ...duplicates(body, exchange),
    ...body.flatMap((entry) => judgeEntry(entry, exchange)),
  ];
}

function duplicates(entries: readonly Entry[], exchange: Reply): Found[] {
  const seen = new Set<string>();
  const twice = entries.find(({ id }) => seen.size === seen.add(id).size);
  if (!twice) return [];
  const expected = "each entry once";
  const actual = `a repeated id: received ${shown(twice.id, "id")}`;
  return [found("duplicate_id", { exchange, expected, actual, cause: expected })];
}

function judgeCandidate({ personalNumber }: Candidate, exchange: Reply): Found[] {
  return judgeNumber(personalNumber, exchange);
}

/** Reports a number in a wrong format, and warns of an invalid date or check digit. */
function judgeNumber(text: string | null | undefined, exchange: Reply): Found[] {
  if (text === undefined || text === null) return [];
  const expected = "YYYYMMDDXXXX or YYYYMMDD-XXXX";
  if (!looksLikePersonalNumber(text)) {
    const actual = "a personalNumber in another format";
    return [found("personal_number_wrong", { exchange, expected, actual })];
  }
  if (parsePersonalNumber(text) !== undefined) return [];
  const actual = "an invalid personalNumber";
  return [found("personal_number_invalid", { exchange, expected: "a valid date and check digit", actual })];
}

function judgeRegistry({ candidates }: CandidateRegistry, exchange: Reply): Found[] {
  return [
    ...duplicates(candidates, exchange),
    ...candidates.flatMap(({ personalNumber }) => judgeNumber(personalNumber, exchange)),
    ...judgeDates(candidates, exchange),
    ...judgeListed(candidates, exchange),
  ];
}

/** Fields of contract 2.5 that every employee has. */
const REQUIRED = ["employeeNumber", "firstName", "lastName", "phone", "email", "workHistory"] as const;
/** The other fields of 2.5, which a provider may keep private. */
const OPTIONAL = ["address", "postCode", "city", "countryCode", "emergencyContact", "bankDetails"] as const;
const LISTED = [...REQUIRED, ...OPTIONAL];

/**
 * Reports a field that no entry has, even if one entry has all other fields. A field that only some entries lack may be unknown for
 * these people. Null counts as present.
 */
function judgeListed(candidates: CandidateRegistry["candidates"], exchange: Reply): Found[] {
  const lacking = candidates.map((entry) => LISTED.filter((name) => entry[name] === undefined));
  const [name] = lacking.find(({ length }) => length === 1) ?? [];
  if (name === undefined || !lacking.every((names) => names.includes(name))) return [];
  const code = REQUIRED.some((each) => each === name) ? "field_missing" : "field_recommended";
  const actual = `${pathOf(`/candidates/*/${name}`)} is missing in every entry`;
  return [found(code, { exchange, expected: "every field that the contract lists", actual })];
}

function judgeDates(candidates: CandidateRegistry["candidates"], exchange: Reply): Found[] {
  const dates = candidates.flatMap(({ workHistory }) => workHistory ?? []).map(({ date }) => date);
  const wrong = dates.find((date) => (date ?? null) !== null && !isDate(String(date)));
  if (wrong === undefined) return [];
  const expected = "candidates[*].workHistory[*].date as YYYY-MM-DD";
  const actual = `received ${shown(wrong, "date")}`;
  const fix = "Send the date alone, like 2027-03-27.";
  return [found("time_invalid", { exchange, expected, actual, cause: expected, fix })];
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}
