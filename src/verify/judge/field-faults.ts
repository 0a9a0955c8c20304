import { stepsOf, valueAt } from "../../runtime/pointer.ts";
import { type FieldError, FURTHER_ERRORS } from "../../runtime/validator.ts";
import type { Code } from "../codes/codes.ts";
import type { Reply } from "../exchange.ts";
import { type Found, found } from "../finding.ts";
import { isObject } from "../json-object.ts";

const MOST_PLACES = 6;

/** The code for times in place of the code for other fields. */
const TIME_CODES: Readonly<Partial<Record<Code, Code>>> = {
  field_wrong: "time_invalid",
  field_recommended: "time_form_unusual",
};

/** Returns one finding for all fields, and another for times. All entries of a list are one place, so that runs are comparable. */
export function fieldFaults(code: Code, exchange: Reply, errors: readonly FieldError[]): Found[] {
  const all = errors
    .filter(({ message }) => message !== FURTHER_ERRORS.message)
    .map((error) => faultOf(exchange.answer.json, error));
  const { times = [], others = [] } = Object.groupBy(all, ({ path, actual }) =>
    code in TIME_CODES && TIME_PATH.test(path) && actual !== MISSING ? "times" : "others",
  );
  return [...oneFinding(code, exchange, others), ...oneFinding(TIME_CODES[code] ?? code, exchange, times)];
}

function oneFinding(code: Code, exchange: Reply, all: readonly FieldFault[]): Found[] {
  const faults = [...Map.groupBy(all, ({ path }) => path).values()].flatMap((each) => each.slice(0, 1));
  if (faults.length === 0) return [];
  const fix = faults.find((fault) => fault.fix !== undefined)?.fix;
  const isMissing = ({ actual }: FieldFault) => actual === MISSING;
  const wanted = faults.map((each) => (isMissing(each) ? each.expected : `${each.path}: ${each.expected}`));
  const received = faults.map(({ path, actual }) => `${path}${actual === MISSING ? "" : ":"} ${actual}`);
  const [expected, actual] = [listed([...new Set(wanted)]), listed(received)];
  const cause = faults.map(({ path, expected }) => `${path.replace(OF_LIST, "")} ${expected}`).join();
  return [found(code, { exchange, expected, actual, cause, ...(fix !== undefined && { fix }) })];
}

/** A candidate of a list and a created one have one cause. */
const OF_LIST = /^(?:candidates)?\[\*\]\./;

function listed(texts: readonly string[]): string {
  const more = texts.length > MOST_PLACES ? [`and ${texts.length - MOST_PLACES} more`] : [];
  return [...texts.slice(0, MOST_PLACES), ...more].join("; ");
}

export interface FieldFault {
  /** `assignedCandidates[*].id`; `the body` for the whole body. */
  path: string;
  /** What the contract requires: "an ISO 8601 time with an offset". */
  expected: string;
  /** `received "2"`, `received a string`, `is missing`. */
  actual: string;
  /** Replaces the fix of the code. */
  fix?: string;
}

/** Fields without personal data: ids, times, numbers, enums. */
const SHOWN =
  /^(?:id|date|slots|numberOfPositions|breakMinutes|status|success|nextCursor|\w{1,99}(?:Id|Time|At))$/;
/** A personal number in any form, which an id may be. */
const PERSONAL = /\d{6}[-+]?\d{4}/;
const LONGEST = 40;
const MISSING = "is missing";
const TIME_PATH = /(Time|At)$/;

function listFix(value: unknown): string | undefined {
  if (value === null) return "Return an empty array where there is nothing to list, never null.";
  if (!isObject(value) || !Object.keys(value).every((key) => /^\d+$/.test(key))) return undefined;
  return "Return a JSON array. PHP writes an array with gaps or other first keys as an object: use array_values().";
}

const ISO = "Send ISO 8601 with an offset, like 2027-03-27T22:00:00+01:00";
/** By the form of a time that is not the contract's. */
const TIME_FIXES: readonly (readonly [RegExp, string])[] = [
  [/^[A-Za-z]{3},? /, `${ISO}, not the form of e-mail and HTTP headers. In PHP: format(DATE_ATOM).`],
  [/[A-Za-z]\/[A-Za-z]|[ \d][A-Y][A-Z]{2,4}$/, `${ISO}: with the offset, not with the name of the zone.`],
  [/^\d{4}-\d\d-\d\d /, `${ISO}, with a T instead of the space. In PHP: format(DATE_ATOM).`],
  [/^\d{4}-\d\d-\d\d$/, `${ISO}: a date alone is no time.`],
  [/^\d{1,2}[/.]\d{1,2}[/.]\d{4}/, `${ISO}: year, month and day in this order.`],
];

function timeFix(value: unknown): string | undefined {
  if (typeof value === "number") return `${ISO}, not as a number of seconds or milliseconds.`;
  return TIME_FIXES.find(([form]) => form.test(String(value)))?.[1];
}

/** How to fix a status in another spelling: no check recognises a cancelled shift by it. */
export const STATUSES = "Send `open`, `filled` or `cancelled`, in lower case and with this spelling.";

function fixOf(value: unknown, path: string, expected: string): string | undefined {
  if (expected === "an array") return listFix(value);
  if (TIME_PATH.test(path)) return timeFix(value);
  return path === "status" ? STATUSES : undefined;
}

export function faultOf(body: unknown, { pointer, message }: FieldError): FieldFault {
  const path = pathOf(pointer);
  if (message === MISSING) return { path, expected: "every field that the contract lists", actual: message };
  const [, choice] = /^must have (?!at (?:least|most) )(.+)$/.exec(message) ?? [];
  if (choice !== undefined) return { path, expected: choice, actual: "received an object without it" };
  const value = valueAt(body, pointer);
  const expected = expectedOf(message, path);
  const fix = fixOf(value, path, expected);
  return { path, expected, actual: `received ${shown(value, path)}`, ...(fix !== undefined && { fix }) };
}

/** Returns a readable path for a JSON pointer. All entries of a list are one place. */
export function pathOf(pointer: string): string {
  const names = stepsOf(pointer);
  const path = names.map((name) => (/^(\d+|\*)$/.test(name) ? "[*]" : `.${name}`)).join("");
  return path.replace(/^\./, "") || "the body";
}

/** Returns the value if it cannot be personal data, otherwise its kind. */
export function shown(value: unknown, path: string): string {
  const kind = kindOf(value);
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  const field = path.split(".").at(-1)?.replace("[*]", "") ?? "";
  if (!isPlain || !SHOWN.test(field) || PERSONAL.test(String(value))) return kind;
  const text = JSON.stringify(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}

export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  return TYPES[typeof value] ?? "a value";
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "a boolean",
  object: "an object",
  array: "an array",
  null: "null",
};

const LISTED_FORM = "the form that the contract lists";
const TIME = "an ISO 8601 time with an offset";

/** By the format in the contract's documents. */
const FORMATS: Readonly<Record<string, string>> = {
  "date-time": TIME,
  "local-date-time": TIME,
  date: "a date like 2027-03-27",
  uuid: "a UUID",
  email: "an e-mail address",
  uri: "a URL",
};

type Expectation = readonly [message: RegExp, textOf: (match: string, path: string) => string];

const EXPECTATIONS: readonly Expectation[] = [
  [/^must be of type (.+)$/, (types) => typesOf(types)],
  [/^must be a valid (.+)$/, (format) => FORMATS[format] ?? LISTED_FORM],
  [/^must be one of (.+)$/, (values) => `one of ${values}`],
  [/^must be ("[^"]*"|true|false|null|\d+)$/, (value) => value],
  [/^must match (.+)$/, (_, path) => formOf(path)],
  [/^must have at least 1 character$/, () => "a non-empty string"],
  [/^must have (at (?:least|most) .+)$/, (size) => size],
  [/^must be (at (?:least|most) .+)$/, (limit) => `a number of ${limit}`],
];

function expectedOf(message: string, path: string): string {
  for (const [pattern, textOf] of EXPECTATIONS) {
    const match = pattern.exec(message);
    if (match) return textOf(match[1] ?? "", path);
  }
  return LISTED_FORM;
}

function typesOf(types: string): string {
  const names = types.split(" or ").filter((type, _, all) => type !== "null" || all.length === 1);
  return names.map((type) => TYPES[type] ?? type).join(" or ");
}

function formOf(path: string): string {
  if (/personalNumber$/.test(path)) return "YYYYMMDDXXXX or YYYYMMDD-XXXX";
  if (/countryCode$|citizenship$/.test(path)) return "a country code of two letters";
  if (TIME_PATH.test(path)) return TIME;
  if (/date$/i.test(path)) return "a date like 2027-03-27";
  return LISTED_FORM;
}
