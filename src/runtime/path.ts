/** A value that a request cannot carry as it is. Nothing was sent. The message names the parameter, and never its value, which may be personal. */
export class ParameterError extends TypeError {
  override readonly name = "ParameterError";
  readonly in: "path" | "query" | "header";
  readonly parameter: string;

  constructor(where: ParameterError["in"], parameter: string, problem: string) {
    super(`the ${where} parameter ${parameter} ${problem}`);
    this.in = where;
    this.parameter = parameter;
  }
}

/** A segment of a path template: its texts, and between them the names of its parameters. */
interface Segment {
  readonly texts: readonly string[];
  readonly names: readonly string[];
}

/** Returns the path of a template with these values. @throws ParameterError if a server would read another path or other values */
export type FillPath = (template: string, values?: Readonly<Record<string, unknown>>) => string;

/** Returns the function that fills these templates, which are all of a document: a value must not lead to another one of them. */
export function pathFiller(templates: readonly string[]): FillPath {
  const bare = [...new Set(templates.map(withoutLastSlash))].sort(byPrecedence);
  const routes = new Map(bare.map((template) => [template, segmentsOf(template)]));
  return (template, values = {}) => {
    const own = withoutLastSlash(template);
    const asked = routes.get(own) ?? segmentsOf(own);
    const filled = asked.map((segment) => fill(segment, values));
    const [first = own] = [...routes].find(([, segments]) => matches(segments, filled)) ?? [];
    if (first === own) return filled.join("/") + template.slice(own.length);
    const name = asked.flatMap(({ names }) => names).join(" or ");
    throw new ParameterError("path", name, `leads to the path ${first}`);
  };
}

/** Two paths that differ in a slash at the end are one: a server reads either. */
export const withoutLastSlash = (template: string): string => template.replace(/(?<=.)\/$/, "");

/** Concrete paths before templated ones, as OpenAPI 3.1 section 4.8.8.2 matches them. */
export const byPrecedence = (left: string, right: string): number => (rankOf(left) < rankOf(right) ? -1 : 1);

const rankOf = (template: string): string => `${template.replaceAll(/\{[^{}]{1,99}\}/g, "\uffff")}\uffff`;

/** Returns a text of a template as a URL has it: other letters than those of URIs are encoded. */
export const encodedText = (text: string): string => text.replaceAll(/[^!-~]+/g, encodeURIComponent);

function segmentsOf(template: string): Segment[] {
  return template.split("/").map((segment) => {
    const parts = segment.split(/\{([^{}]{1,99})\}/);
    return {
      texts: parts.filter((_, index) => index % 2 === 0).map(encodedText),
      names: parts.filter((_, index) => index % 2 === 1),
    };
  });
}

/** What every URL parser takes for the folder itself or the one above (WHATWG URL, section 4.1). */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

function fill({ texts, names }: Segment, values: Readonly<Record<string, unknown>>): string {
  const encoded = names.map((name) => encodedValue(name, values[name]));
  const filled = texts.map((text, index) => text + (encoded[index] ?? "")).join("");
  const refuse = (problem: string) => new ParameterError("path", names.join(" or "), problem);
  if (names.length > 0 && DOT_SEGMENT.test(filled)) throw refuse("is a dot segment, which a URL loses");
  const isClear = encoded.slice(1).every((value, index) => {
    const [before = "", separator = ""] = [encoded[index], texts[index + 1]];
    const text = before + separator + value;
    return text.indexOf(separator) === before.length && text.lastIndexOf(separator) === before.length;
  });
  if (!isClear) throw refuse("holds the text between two parameters");
  return filled;
}

function encodedValue(name: string, value: unknown): string {
  const refuse = (problem: string) => new ParameterError("path", name, problem);
  if (value === undefined || value === null) throw refuse("is missing");
  if (!["string", "number", "boolean", "bigint"].includes(typeof value))
    throw refuse("must be a text, a number or a boolean");
  const text = String(value);
  if (text === "") throw refuse("must not be empty");
  if (!text.isWellFormed()) throw refuse(NOT_TEXT);
  return encodeURIComponent(text);
}

const NOT_TEXT = "must not hold a lone surrogate";

/** Whether the path may be one of the template. */
const matches = (template: readonly Segment[], path: readonly string[]): boolean =>
  template.length === path.length && template.every((segment, index) => matchesSegment(segment, path[index]));

/** Each parameter has one character or more. */
function matchesSegment({ texts }: Segment, segment = ""): boolean {
  const [start = "", ...rest] = texts;
  const end = rest.pop();
  if (end === undefined) return segment === start;
  if (!segment.startsWith(start)) return false;
  let at = start.length;
  for (const text of rest) {
    const found = segment.indexOf(text, at + 1);
    if (found < 0) return false;
    at = found + text.length;
  }
  return segment.endsWith(end) && segment.length - end.length > at;
}

/** Latin-1 without control characters: what HTTP carries, and what a server reads as it was written (RFC 9110, section 5.5). */
const HEADER_VALUE = /^[\t -~\u0080-\u00ff]*$/;
const PADDED = /^[\t ]|[\t ]$/;

/** @throws ParameterError for a value that cannot be sent, or that a server would read as another one */
export function requireHeaders(headers: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(headers)) {
    const text = String(value ?? "");
    if (!HEADER_VALUE.test(text))
      throw new ParameterError(
        "header",
        name,
        "must hold only characters of Latin-1 that are no control characters",
      );
    if (PADDED.test(text)) throw new ParameterError("header", name, "must not begin or end with a space");
  }
}

/** The same for the values of a query: each is encoded, so that only what is no text is refused. */
export function requireQuery(query: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(query)) {
    const isText = [value].flat().every((each) => typeof each !== "string" || each.isWellFormed());
    if (!isText) throw new ParameterError("query", name, NOT_TEXT);
  }
}
