import { INHERITED } from "../ajv/keywords.ts";
import { flatten } from "../documents/flatten.ts";
import { at, ensure, type Faults, type Place, SpecFault } from "../fault.ts";
import { isRecord, isSchema, type NamedSchemas, recordOf, type Schema, typeOf } from "../schema.ts";

export type ParameterPlace = "path" | "query" | "header";
export type ScalarType = "string" | "integer" | "number" | "boolean";

/** A Parameter Object (OpenAPI 3.1, section 4.8.12). */
export interface Parameter {
  readonly in: ParameterPlace;
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
  /** The type of the text on the wire. */
  readonly type: ScalarType;
  /** Several values are repeated names. */
  readonly list: "repeated" | undefined;
  readonly place: Place;
}

/** OpenAPI 3.1, section 4.8.12.2.1: parameters with these names are ignored, so they must not be declared. */
const RESERVED_HEADERS = new Set(["accept", "content-type", "authorization"]);
const STYLES: Record<ParameterPlace, string> = { path: "simple", query: "form", header: "simple" };

/** Returns the parameters of an operation: those of its path item, overridden by its own. */
export function parametersOf(
  path: string,
  lists: unknown[],
  named: NamedSchemas,
  place: Place,
  faults: Faults,
): Parameter[] {
  const holders = [at({ ...place, pointer: place.pointer.slice(0, place.pointer.lastIndexOf("/")) }), place];
  const all = lists.flatMap((list, nth) =>
    (Array.isArray(list) ? list : []).map((item, index) => {
      const where = at(holders[nth] ?? place, "parameters", index);
      return faults.try(() => parameterOf(recordOf(item), named, where));
    }),
  );
  const found = all.filter((each) => each !== undefined);
  const parameters = [...new Map(found.map((each) => [`${each.in} ${each.name}`, each])).values()];
  // A parameter that is at fault may be the one that is missing.
  if (found.length === all.length) refuseTemplateMismatch(path, parameters, place);
  return parameters;
}

const isPlace = (where: unknown): where is ParameterPlace => Object.hasOwn(STYLES, String(where));

function parameterOf(item: Record<string, unknown>, named: NamedSchemas, place: Place): Parameter {
  const { in: where, schema, style } = item;
  const name = String(item.name);
  const isInherited = INHERITED.includes(name);
  ensure(!isInherited, place, `a parameter called "${name}" is not supported`, "choose another name");
  const problem = `a parameter in "${String(where)}" is not supported`;
  ensure(isPlace(where), place, problem, "use path, query or header");
  const isReserved = where === "header" && RESERVED_HEADERS.has(name.toLowerCase());
  const advice = "use security or the media type for it";
  ensure(!isReserved, place, `the header ${name} cannot be a parameter`, advice);
  ensure(isSchema(schema), place, `the parameter "${name}" has no schema`, "give it a schema");
  const usual = STYLES[where];
  const isUsual = style === undefined || style === usual;
  ensure(isUsual, at(place, "style"), `style "${String(style)}" is not supported`, `use ${usual}`);
  const wire = wireType(schema, named, at(place, "schema"));
  ensure(
    !wire.list || (where === "query" && item.explode !== false),
    place,
    "values with commas between them are not supported",
    where === "query"
      ? "repeat the name: leave out explode"
      : "write a text with a pattern, or repeat the name in the query",
  );
  const required = where === "path" || item.required === true;
  return { in: where, name, required, schema, ...wire, place: at(place, "schema") };
}

const isScalar = (type: string): type is ScalarType =>
  ["string", "integer", "number", "boolean"].includes(type);

type WireType = Pick<Parameter, "type" | "list">;

/** Returns the type of the text of a value, and whether there may be several. */
function wireType(schema: Schema, named: NamedSchemas, place: Place, isItem = false): WireType {
  const flat = typeof schema === "object" ? flatten(schema, named, "whole") : {};
  const types = typesOf(flat, named);
  if (types.join() === "array" && !isItem)
    return { ...wireType(flat.items ?? {}, named, at(place, "items"), true), list: "repeated" };
  const [type = "string", ...others] = types;
  if (isScalar(type) && others.length === 0 && flat.$ref === undefined && flat.allOf === undefined)
    return { type, list: undefined };
  throw new SpecFault(
    place,
    `a parameter of type ${types.join(" or ") || "unknown"} is not supported`,
    "use one type, a scalar or an array of scalars, and write it out",
  );
}

/** Returns the types that the values have beside null, which no text encodes; none if the schema does not restrict them. */
function typesOf(schema: Schema, named: NamedSchemas): string[] {
  if (typeof schema === "boolean") return [];
  const { type, enum: values, anyOf = [], oneOf = [] } = flatten(schema, named, "whole");
  const stated = type === undefined ? [] : [type].flat();
  const listed = "const" in schema ? [schema.const] : (values ?? []);
  const branches = [...anyOf, ...oneOf].flatMap((branch) => typesOf(branch, named));
  const found = [stated, listed.map(typeOf), branches].find((types) => types.length > 0) ?? [];
  return [...new Set(found)].filter((each) => each !== "null");
}

function refuseTemplateMismatch(path: string, parameters: readonly Parameter[], place: Place): void {
  const inTemplate = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name);
  const declared = parameters.filter((each) => each.in === "path").map(({ name }) => name);
  const undeclared = inTemplate.find((name) => !declared.includes(name));
  const unused = declared.find((name) => !inTemplate.includes(name));
  const odd = inTemplate.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  const adjacent = path.includes("}{") ? path : undefined;
  for (const [wrong, problem, advice] of [
    [undeclared, `the path parameter {${undeclared}} is not declared`, "add it to 'parameters'"],
    [unused, `the path ${path} has no {${unused}}`, "remove the parameter or put it into the path"],
    [adjacent, `the path ${path} has two parameters without a text between them`, "put a text there"],
    [odd, `the path parameter {${odd}} is not an identifier`, "use letters, digits and underscores"],
  ] as const)
    ensure(wrong === undefined, place, problem, advice);
}

export interface Content {
  readonly contentType: string;
  readonly schema: Schema;
  readonly place: Place;
}

/** Beside a JSON media type: other types that a sender may use. */
const ANY = "*/*";

/** Server-sent events; the schema describes one of them. */
export const EVENT_STREAM = "text/event-stream";

/** A page for a browser, and a calendar (RFC 5545): the schema is that of a text. */
export const TEXTS: readonly string[] = ["text/html", "text/calendar"];

/** What a form of such a page sends. */
export const FORM = "application/x-www-form-urlencoded";

/** Returns the media type of a `content` map (OpenAPI 3.1, section 4.8.14): JSON, or one of `others`. Other content is refused, except any type beside it. */
function contentOf(content: unknown, place: Place, others: readonly string[]): Content | undefined {
  const types = Object.keys(recordOf(content));
  const [first, second] = types.length > 1 ? types.filter((type) => type !== ANY) : types;
  if (first === undefined) return undefined;
  const several = `several media types (${first}, ${second}) are not supported`;
  ensure(second === undefined, place, several, "keep one of them");
  const below = at(place, first);
  ensure(
    /^application\/(?:[a-z0-9.-]+\+)?json$/.test(first) || others.includes(first),
    below,
    `the media type ${first} is not supported`,
    `use ${["application/json", "application/...+json", ...others].join(", ")}`,
  );
  const { schema } = recordOf(recordOf(content)[first]);
  ensure(isSchema(schema), below, "the media type has no schema", "add 'schema'");
  return { contentType: first, schema, place: at(below, "schema") };
}

/** A Request Body Object (OpenAPI 3.1, section 4.8.13). */
export interface RequestBody extends Content {
  readonly required: boolean;
}

export function requestBodyOf(value: unknown, method: string, place: Place): RequestBody | undefined {
  if (!isRecord(value)) return undefined;
  ensure(method !== "get", place, "a GET request has no body", "use parameters, or post");
  const content = contentOf(value.content, at(place, "content"), [FORM]);
  if (content !== undefined) return { ...content, required: value.required === true };
  throw new SpecFault(place, "the request body has no content", "add a media type, or remove the body");
}

/** What a form may hold beside its own fields. Bytes. */
const OTHER_FIELDS = 1_000;

/** Returns how long a form can be whose fields are all bounded, with some room; undefined for any other body. Bytes. */
export function longestForm({ contentType, schema }: Content, schemas: NamedSchemas): number | undefined {
  if (contentType !== FORM || typeof schema === "boolean") return undefined;
  const { properties = {} } = flatten(schema, schemas, "whole");
  const lengths = Object.entries(properties).map(
    ([name, value]) => encodedLength(name) + longestText(value, schemas) + "=&".length,
  );
  const length = lengths.reduce((sum, each) => sum + each, OTHER_FIELDS);
  return Number.isFinite(length) ? length : undefined;
}

function longestText(schema: Schema, schemas: NamedSchemas): number {
  if (typeof schema === "boolean") return Number.POSITIVE_INFINITY;
  const { enum: values, const: value = values, maxLength } = flatten(schema, schemas, "whole");
  const texts = [value].flat();
  if (value !== undefined) return Math.max(...texts.map((text) => encodedLength(String(text))));
  return typeof maxLength === "number" ? encodedLength("\u{1f600}") * maxLength : Number.POSITIVE_INFINITY;
}

/** With every letter escaped. */
const encodedLength = (text: string) => "%00".length * Buffer.byteLength(text);

/** One entry of a Responses Object (OpenAPI 3.1, section 4.8.16). */
export interface DeclaredResponse {
  readonly status: string;
  /** Both undefined when the response has no body. */
  readonly contentType: string | undefined;
  readonly schema: Schema | undefined;
  readonly place: Place;
}

export function responsesOf(value: unknown, place: Place, faults: Faults): DeclaredResponse[] {
  const entries = Object.entries(recordOf(value)).filter(([key]) => !key.startsWith("x-"));
  ensure(entries.length > 0, place, "the operation declares no response", "add one");
  const responses = entries.map(([status, response]) =>
    faults.try(() => responseOf(status, recordOf(response), at(place, status))),
  );
  const hasSuccess = responses.some((each) => each === undefined || /^[23]/.test(each.status));
  const advice = "add one, such as 200: default stands for errors";
  ensure(hasSuccess, place, "the operation declares no success", advice);
  return responses.filter((each) => each !== undefined);
}

function responseOf(status: string, response: Record<string, unknown>, place: Place): DeclaredResponse {
  const isKnown = /^[2-5]\d\d$/.test(status) || status === "default";
  ensure(isKnown, place, `the status "${status}" is not supported`, "write each status, or default");
  const others = status === "200" ? [...TEXTS, EVENT_STREAM] : TEXTS;
  const content = contentOf(response.content, at(place, "content"), others);
  const { contentType, schema, place: where = place } = content ?? {};
  return { status, contentType, schema, place: where };
}

const MEMBERS = ["event", "data", "id"];

/** Refuses the schema of an event with members that are not sent: `data` is the JSON of an event, `event` its name. */
export function refuseUnsentMembers({ place, schema = true }: DeclaredResponse, schemas: NamedSchemas): void {
  const other = membersOf(schema, schemas).find((name) => !MEMBERS.includes(name));
  const problem = `a server-sent event has no member "${other}"`;
  ensure(other === undefined, place, problem, "put it into 'data'");
}

function membersOf(schema: Schema, schemas: NamedSchemas): string[] {
  if (typeof schema === "boolean") return [];
  const { properties = {}, oneOf = [], anyOf = [] } = flatten(schema, schemas, "whole");
  const branches = [...oneOf, ...anyOf].flatMap((branch) => membersOf(branch, schemas));
  return [...Object.keys(properties), ...branches];
}
