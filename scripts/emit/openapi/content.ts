import { flatten } from "../documents/flatten.ts";
import { at, ensure, type Place, SpecFault } from "../fault.ts";
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
const FORM = "application/x-www-form-urlencoded";

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

export function requestBodyOf(value: unknown, place: Place): RequestBody | undefined {
  if (!isRecord(value)) return undefined;
  const content = contentOf(value.content, at(place, "content"), [FORM]);
  if (content !== undefined) return { ...content, required: value.required === true };
  throw new SpecFault(place, "the request body has no content", "add a media type, or remove the body");
}

/** One entry of a Responses Object (OpenAPI 3.1, section 4.8.16). */
export interface DeclaredResponse {
  readonly status: string;
  /** Both undefined when the response has no body. */
  readonly contentType: string | undefined;
  readonly schema: Schema | undefined;
  readonly place: Place;
}

export function responsesOf(value: unknown, place: Place): DeclaredResponse[] {
  const entries = Object.entries(recordOf(value)).filter(([key]) => !key.startsWith("x-"));
  ensure(entries.length > 0, place, "the operation declares no response", "add one");
  const responses = entries.map(([status, response]) => {
    const below = at(place, status);
    const isKnown = /^[2-5]\d\d$/.test(status) || status === "default";
    ensure(isKnown, below, `the status "${status}" is not supported`, "write each status, or default");
    const others = status === "200" ? [...TEXTS, EVENT_STREAM] : TEXTS;
    const content = contentOf(recordOf(response).content, at(below, "content"), others);
    const { contentType, schema, place: where = below } = content ?? {};
    return { status, contentType, schema, place: where };
  });
  const hasSuccess = responses.some(({ status }) => /^[23]/.test(status));
  const advice = "add one, such as 200: default stands for errors";
  ensure(hasSuccess, place, "the operation declares no success", advice);
  return responses;
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
