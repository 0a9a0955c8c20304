import { flatten } from "../documents/flatten.ts";
import { at, ensure, type Faults, type Place, SpecFault } from "../fault.ts";
import { isRecord, isSchema, type NamedSchemas, recordOf, type Schema } from "../schema.ts";

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
