import type { Change } from "../../scripts/contract-diff/change.ts";
import type { Schema, SchemaObject } from "../../scripts/emit/schema.ts";

/** One change of a schema, with the values that show whom it breaks. */
export interface SchemaChange {
  what: string;
  before: Schema;
  after: Schema;
  /** What is sent by the old schema, and refused by the new one. */
  refusedNow?: unknown;
  /** What is sent by the new schema, and refused by the old one. */
  refusedBefore?: unknown;
}

const TEXT: SchemaObject = { type: "string" };
const NUMBER: SchemaObject = { type: "number" };
const LIST: SchemaObject = { type: "array" };
const OPEN: SchemaObject = { type: "object", properties: { a: TEXT } };
const CLOSED: SchemaObject = { ...OPEN, additionalProperties: false };
const AB: SchemaObject = { type: "object", properties: { a: TEXT, b: TEXT } };
const KIND = (name: string): SchemaObject => ({
  type: "object",
  required: ["k"],
  properties: { k: { const: name } },
});

export const when = (condition: Schema, consequence: Schema, otherwise?: Schema): SchemaObject => ({
  if: condition,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: consequence,
  ...(otherwise !== undefined && { else: otherwise }),
});

/** Adding `keywords` to a schema refuses `value` now; removing them, before. */
function both(what: string, base: SchemaObject, keywords: SchemaObject, value: unknown): SchemaChange[] {
  const narrow = { ...base, ...keywords };
  return [
    { what: `${what} that is new`, before: base, after: narrow, refusedNow: value },
    { what: `${what} that is gone`, before: narrow, after: base, refusedBefore: value },
  ];
}

/** From the first form to the second, and back. */
function swapped(
  what: string,
  before: Schema,
  after: Schema,
  refusedNow?: unknown,
  refusedBefore?: unknown,
): SchemaChange[] {
  return [
    { what, before, after, refusedNow, refusedBefore },
    {
      what: `${what}, reversed`,
      before: after,
      after: before,
      refusedNow: refusedBefore,
      refusedBefore: refusedNow,
    },
  ];
}

export const SCHEMA_CHANGES: SchemaChange[] = [
  ...both("a type", {}, TEXT, 1),
  ...swapped("integer to number", { type: "integer" }, NUMBER, undefined, 0.5),
  ...swapped("a text to a number", TEXT, NUMBER, "a", 1),
  ...swapped("null beside a text", TEXT, { type: ["string", "null"] }, undefined, null),
  ...swapped("null in another notation", { type: ["string", "null"] }, { anyOf: [TEXT, { type: "null" }] }),
  ...swapped("a list of one type", { type: "string" }, { type: ["string"] }),
  ...both("an enum", TEXT, { enum: ["x", "y"] }, "z"),
  ...swapped("a further value of an enum", { enum: ["x"] }, { enum: ["x", "y"] }, undefined, "y"),
  ...swapped("another value of an enum", { enum: ["x"] }, { enum: ["y"] }, "x", "y"),
  ...swapped("the order of an enum", { enum: ["x", "y"] }, { enum: ["y", "x"] }),
  ...both("a const", TEXT, { const: "x" }, "y"),
  ...swapped("another const", { const: "x" }, { const: "y" }, "x", "y"),
  ...swapped("a const as an enum of one", { const: "x" }, { enum: ["x"] }),
  ...swapped("a const with its type", { const: "x" }, { type: "string", const: "x" }),
  ...swapped("a boolean as an enum", { type: "boolean" }, { enum: [true, false] }),
  ...both("a format", TEXT, { format: "date" }, "x"),
  ...swapped(
    "a wider format",
    { type: "string", format: "date-time" },
    { type: "string", format: "local-date-time" },
    undefined,
    "2024-02-29T12:00",
  ),
  ...both("a pattern", TEXT, { pattern: "^a" }, "b"),
  ...swapped(
    "another pattern",
    { type: "string", pattern: "^a" },
    { type: "string", pattern: "^b" },
    "a",
    "b",
  ),
  ...swapped("a pattern that all values of an enum match", { enum: ["a"] }, { enum: ["a"], pattern: "^a" }),
  ...both("a least length", TEXT, { minLength: 2 }, "a"),
  ...both("a greatest length", TEXT, { maxLength: 2 }, "abc"),
  ...swapped(
    "a greater length",
    { type: "string", maxLength: 2 },
    { type: "string", maxLength: 3 },
    undefined,
    "abc",
  ),
  ...both("a minimum", NUMBER, { minimum: 1 }, 0),
  ...both("an exclusive minimum", NUMBER, { exclusiveMinimum: 1 }, 1),
  ...both("a maximum", NUMBER, { maximum: 1 }, 2),
  ...both("an exclusive maximum", NUMBER, { exclusiveMaximum: 1 }, 1),
  ...swapped("a minimum that is exclusive", { ...NUMBER, minimum: 1 }, { ...NUMBER, exclusiveMinimum: 1 }, 1),
  ...swapped(
    "a bound of integers in another notation",
    { type: "integer", minimum: 1 },
    { type: "integer", exclusiveMinimum: 0 },
  ),
  ...both("a multiple", NUMBER, { multipleOf: 2 }, 3),
  ...swapped("a multiple of a multiple", { ...NUMBER, multipleOf: 2 }, { ...NUMBER, multipleOf: 4 }, 2),
  ...both("a schema of items", LIST, { items: TEXT }, [1]),
  ...both("a least number of items", LIST, { minItems: 1 }, []),
  ...both("a greatest number of items", LIST, { maxItems: 1 }, [1, 1]),
  ...both("different items", LIST, { uniqueItems: true }, [1, 1]),
  ...both("a first item", LIST, { prefixItems: [TEXT] }, [1]),
  ...both("an item to contain", LIST, { contains: TEXT }, [1]),
  ...both("more items to contain", { ...LIST, contains: TEXT }, { minContains: 2 }, ["a"]),
  ...both("fewer items to contain", { ...LIST, contains: TEXT }, { maxContains: 1 }, ["a", "b"]),
  ...both("no further items", { ...LIST, prefixItems: [TEXT] }, { items: false }, ["a", 1]),
  ...both("no unevaluated items", { ...LIST, prefixItems: [TEXT] }, { unevaluatedItems: false }, ["a", 1]),
  ...both("a required member", OPEN, { required: ["a"] }, {}),
  ...both("a required member without a schema", OPEN, { required: ["b"] }, {}),
  { what: "a member that is new in an open object", before: OPEN, after: AB },
  ...swapped(
    "a member that is new in a closed object",
    CLOSED,
    { ...AB, additionalProperties: false },
    undefined,
    { b: "x" },
  ),
  ...swapped(
    "a member that is new in a map",
    { ...OPEN, additionalProperties: NUMBER },
    { ...AB, additionalProperties: NUMBER },
    { b: 1 },
    { b: "x" },
  ),
  ...swapped("a member that is new in a free object", { type: "object" }, OPEN, { a: 1 }),
  ...swapped("the type of a member", OPEN, { ...OPEN, properties: { a: NUMBER } }, { a: "x" }, { a: 1 }),
  ...swapped("a member that is forbidden", AB, { ...AB, properties: { a: TEXT, b: false } }, { b: "x" }),
  ...both("an object that is closed", OPEN, { additionalProperties: false }, { z: 1 }),
  ...both("a map", OPEN, { additionalProperties: TEXT }, { z: 1 }),
  ...both("a pattern of names in an open object", OPEN, { patternProperties: { "^z": TEXT } }, { z: 1 }),
  ...swapped(
    "a pattern of names in a closed object",
    CLOSED,
    { ...CLOSED, patternProperties: { "^z": TEXT } },
    undefined,
    { z: "x" },
  ),
  ...both("a rule for names", OPEN, { propertyNames: { enum: ["a"] } }, { z: 1 }),
  ...both("a least number of members", OPEN, { minProperties: 1 }, {}),
  ...both("a greatest number of members", AB, { maxProperties: 1 }, { a: "x", b: "x" }),
  ...both("a member that another one requires", AB, { dependentRequired: { a: ["b"] } }, { a: "x" }),
  ...both(
    "a schema that a member requires",
    AB,
    { dependentSchemas: { a: { required: ["b"] } } },
    { a: "x" },
  ),
  ...both("no unevaluated members", { allOf: [OPEN] }, { unevaluatedProperties: false }, { z: 1 }),
  ...swapped(
    "a member beside no unevaluated ones",
    { allOf: [OPEN], unevaluatedProperties: false },
    { allOf: [AB], unevaluatedProperties: false },
    undefined,
    { b: "x" },
  ),
  ...both("a further schema in allOf", { allOf: [TEXT] }, { allOf: [TEXT, { minLength: 2 }] }, "a"),
  ...swapped("allOf of one", TEXT, { allOf: [TEXT] }),
  ...swapped("a further branch of anyOf", { anyOf: [TEXT] }, { anyOf: [TEXT, NUMBER] }, undefined, 1),
  ...swapped("the order of anyOf", { anyOf: [TEXT, NUMBER] }, { anyOf: [NUMBER, TEXT] }),
  ...swapped(
    "a further branch of oneOf",
    { oneOf: [KIND("x")] },
    { oneOf: [KIND("x"), KIND("y")] },
    undefined,
    { k: "y" },
  ),
  ...swapped(
    "a branch of oneOf that overlaps",
    { oneOf: [TEXT, NUMBER] },
    { oneOf: [TEXT, NUMBER, { type: "integer" }] },
    1,
  ),
  ...swapped(
    "a wider branch of oneOf",
    { oneOf: [{ const: 1 }, TEXT] },
    { oneOf: [NUMBER, TEXT] },
    undefined,
    2,
  ),
  ...swapped(
    "oneOf as anyOf, with tags",
    { oneOf: [KIND("x"), KIND("y")] },
    { anyOf: [KIND("x"), KIND("y")] },
  ),
  ...both("something that is excluded", TEXT, { not: { enum: ["x"] } }, "x"),
  ...swapped(
    "more that is excluded",
    { ...TEXT, not: { enum: ["x"] } },
    { ...TEXT, not: { enum: ["x", "y"] } },
    "y",
  ),
  ...both("a condition", AB, { ...when({ required: ["a"] }, { required: ["b"] }) }, { a: "x" }),
  ...swapped(
    "a condition that holds more often",
    { ...NUMBER, ...when({ minimum: 5 }, { multipleOf: 2 }) },
    { ...NUMBER, ...when({ minimum: 3 }, { multipleOf: 2 }) },
    3,
  ),
  ...swapped(
    "a stricter consequence",
    { ...NUMBER, ...when({ minimum: 5 }, { maximum: 9 }) },
    { ...NUMBER, ...when({ minimum: 5 }, { maximum: 8 }) },
    9,
  ),
  ...both("an else", { ...NUMBER, ...when({ minimum: 5 }, { maximum: 9 }) }, { else: { minimum: 0 } }, -1),
  ...swapped("a schema that accepts nothing", TEXT, false, "a"),
  ...swapped("a description, an example and a default", TEXT, {
    ...TEXT,
    description: "d",
    examples: ["x"],
    default: "x",
  }),
];

type Json = Record<string, unknown>;

/** One change of a document, with the reason why the named parties fail. */
export interface DocumentChange {
  what: string;
  /** Edits of the common document for the old and the new revision: what stands at a path, undefined to remove it. */
  before: Edits;
  after: Edits;
  /** Whom the change breaks, and by what. The platform calls, or reads events; providers answer, or send them. */
  platform?: string;
  providers?: string;
  /** What the change is then, where that is a rule of its own. */
  kind?: Change["kind"];
}

type Edits = Readonly<Record<string, unknown>>;

/** Returns a document with some of its parts replaced; the steps of a path are separated by spaces. */
export function edited(document: Json, edits: Edits): Json {
  const copy = structuredClone(document);
  for (const [path, value] of Object.entries(edits)) {
    const steps = path.split(" ");
    const last = steps.pop() ?? "";
    const holder = steps.reduce<Json>((node, step) => {
      node[step] ??= {};
      return node[step] as Json;
    }, copy);
    if (value === undefined) delete holder[last];
    else holder[last] = value;
  }
  return copy;
}

const content = (schema: Schema) => ({ "application/json": { schema } });
const BODY = { content: content(OPEN) };
const QUERY = { name: "q", in: "query", schema: TEXT };
const BEARER = { type: "http", scheme: "bearer" };

export const OPENAPI: Json = {
  openapi: "3.1.0",
  info: { title: "t", version: "1.0.0" },
  servers: [{ url: "https://{host}/v1", variables: { host: { default: "a", enum: ["a", "b"] } } }],
  paths: {
    "/x/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: TEXT }],
      post: { operationId: "post", responses: { "200": { description: "." } } },
    },
  },
  components: { securitySchemes: { token: BEARER, key: { type: "apiKey", in: "header", name: "k" } } },
};

const POST = "paths /x/{id} post";
const OLD_CALL = "the old call is refused, or has another effect";
const NEW_CALL = "the new call is refused by an old server";
const OLD_ANSWER = "the new client refuses the old answer";
const NEW_ANSWER = "the old client refuses the new answer, or misses something in it";

function reversed(
  { what, before, after, ...rest }: DocumentChange,
  broken: Pick<DocumentChange, "platform" | "providers">,
) {
  return [
    { what, before, after, ...rest },
    { what: `${what}, reversed`, before: after, after: before, ...broken },
  ];
}

/** The same schema in a request and in its response. */
const shared = (schema: Schema): Edits => ({
  "components schemas": { Shared: schema },
  [`${POST} requestBody`]: { content: content({ $ref: "#/components/schemas/Shared" }) },
  [`${POST} responses 200 content`]: content({ $ref: "#/components/schemas/Shared" }),
});

const at = (path: string, value: unknown): Edits => ({ [`${POST} ${path}`]: value });

export const OPENAPI_CHANGES: DocumentChange[] = [
  ...reversed(
    {
      what: "an operation that is new",
      before: {},
      after: { "paths /x/{id} get": { responses: { "204": { description: "." } } } },
    },
    { platform: OLD_CALL },
  ),
  ...reversed(
    {
      what: "a path that is new",
      before: {},
      after: { "paths /y": { get: { responses: { "204": { description: "." } } } } },
    },
    { platform: OLD_CALL },
  ),
  {
    what: "another name of a path parameter",
    before: {},
    after: {
      "paths /x/{id}": undefined,
      "paths /x/{key}": {
        ...(edited(OPENAPI, {
          "paths /x/{id} parameters": [{ name: "key", in: "path", required: true, schema: TEXT }],
        }).paths as Json),
      }["/x/{id}"],
    },
  },
  ...reversed(
    {
      what: "a further value of a schema in both directions",
      before: shared({ enum: ["a"] }),
      after: shared({ enum: ["a", "b"] }),
      platform: NEW_ANSWER,
      providers: NEW_CALL,
    },
    { platform: OLD_CALL, providers: OLD_ANSWER },
  ),
  { what: "another operationId", before: {}, after: at("operationId", "send"), kind: "notice" },
  { what: "a deprecation", before: {}, after: at("deprecated", true) },
  ...reversed(
    { what: "an optional parameter that is new", before: {}, after: at("parameters", [QUERY]) },
    { platform: OLD_CALL },
  ),
  ...reversed(
    {
      what: "a required parameter that is new",
      before: {},
      after: at("parameters", [{ ...QUERY, required: true }]),
      platform: OLD_CALL,
    },
    { platform: OLD_CALL, providers: NEW_CALL },
  ),
  ...reversed(
    {
      what: "a parameter that becomes required",
      before: at("parameters", [QUERY]),
      after: at("parameters", [{ ...QUERY, required: true }]),
      platform: OLD_CALL,
    },
    { providers: NEW_CALL },
  ),
  ...reversed(
    {
      what: "a parameter that moves",
      before: at("parameters", [QUERY]),
      after: at("parameters", [{ ...QUERY, in: "header" }]),
      platform: OLD_CALL,
    },
    { platform: OLD_CALL },
  ),
  ...reversed(
    {
      what: "another style of a parameter",
      before: at("parameters", [QUERY]),
      after: at("parameters", [{ ...QUERY, style: "pipeDelimited" }]),
      platform: OLD_CALL,
      providers: NEW_CALL,
    },
    { platform: OLD_CALL, providers: NEW_CALL },
  ),
  {
    what: "the default style of a parameter, written out",
    before: at("parameters", [QUERY]),
    after: at("parameters", [{ ...QUERY, style: "form", explode: true }]),
  },
  ...reversed(
    {
      what: "a shorter parameter",
      before: at("parameters", [QUERY]),
      after: at("parameters", [{ ...QUERY, schema: { ...TEXT, maxLength: 3 } }]),
      platform: OLD_CALL,
    },
    { providers: NEW_CALL },
  ),
  ...reversed(
    { what: "an optional body that is new", before: {}, after: at("requestBody", BODY) },
    { platform: OLD_CALL },
  ),
  ...reversed(
    {
      what: "a required body that is new",
      before: {},
      after: at("requestBody", { ...BODY, required: true }),
      platform: OLD_CALL,
    },
    { platform: OLD_CALL, providers: NEW_CALL },
  ),
  ...reversed(
    {
      what: "a body that becomes required",
      before: at("requestBody", BODY),
      after: at("requestBody", { ...BODY, required: true }),
      platform: OLD_CALL,
    },
    { providers: NEW_CALL },
  ),
  ...reversed(
    {
      what: "a further media type of a body",
      before: at("requestBody", BODY),
      after: at("requestBody", { content: { ...content(OPEN), "application/merge-patch+json": {} } }),
      providers: NEW_CALL,
    },
    { platform: OLD_CALL },
  ),
  ...reversed(
    { what: "a further error", before: {}, after: at("responses 404", { description: "." }) },
    { providers: OLD_ANSWER },
  ),
  ...reversed(
    {
      what: "a further success",
      before: {},
      after: at("responses 202", { description: "." }),
      platform: NEW_ANSWER,
    },
    { providers: OLD_ANSWER },
  ),
  ...reversed(
    {
      what: "an error that default describes",
      before: at("responses default", { description: ".", content: content(OPEN) }),
      after: {
        ...at("responses default", { description: ".", content: content(OPEN) }),
        ...at("responses 404", { description: ".", content: content(OPEN) }),
      },
    },
    {},
  ),
  ...reversed(
    {
      what: "an error with other content than default",
      before: at("responses default", { description: ".", content: content(TEXT) }),
      after: {
        ...at("responses default", { description: ".", content: content(TEXT) }),
        ...at("responses 404", { description: ".", content: content(NUMBER) }),
      },
      platform: NEW_ANSWER,
      providers: OLD_ANSWER,
    },
    { platform: NEW_ANSWER, providers: OLD_ANSWER },
  ),
  ...reversed(
    {
      what: "a success that gains a body",
      before: {},
      after: at("responses 200 content", content(OPEN)),
      providers: OLD_ANSWER,
    },
    { platform: NEW_ANSWER },
  ),
  ...reversed(
    {
      what: "a further media type of a response",
      before: at("responses 200 content", content(OPEN)),
      after: at("responses 200 content", { ...content(OPEN), "text/html": {} }),
      platform: NEW_ANSWER,
    },
    { providers: OLD_ANSWER },
  ),
  ...reversed(
    {
      what: "a header of a response",
      before: {},
      after: at("responses 200 headers", { "X-A": { schema: TEXT } }),
    },
    { platform: NEW_ANSWER },
  ),
  ...reversed(
    {
      what: "another header of a response",
      before: at("responses 200 headers", { "X-A": { schema: TEXT } }),
      after: at("responses 200 headers", { "X-A": { schema: { const: "a" } } }),
      providers: OLD_ANSWER,
    },
    { platform: NEW_ANSWER },
  ),
  ...reversed(
    {
      what: "a member of an open response that is gone",
      before: at("responses 200 content", content(AB)),
      after: at("responses 200 content", content(OPEN)),
      platform: NEW_ANSWER,
    },
    {},
  ),
  ...reversed(
    { what: "a token that is new", before: {}, after: at("security", [{ token: [] }]), platform: OLD_CALL },
    { providers: NEW_CALL },
  ),
  ...reversed(
    {
      what: "a second way to authenticate",
      before: at("security", [{ token: [] }]),
      after: at("security", [{ token: [] }, { key: [] }]),
      providers: NEW_CALL,
    },
    { platform: OLD_CALL },
  ),
  ...reversed(
    {
      what: "a second token beside the first",
      before: at("security", [{ token: [] }]),
      after: at("security", [{ token: [], key: [] }]),
      platform: OLD_CALL,
    },
    { providers: NEW_CALL },
  ),
  {
    what: "another name of a security scheme",
    before: at("security", [{ token: [] }]),
    after: {
      ...at("security", [{ bearer: [] }]),
      "components securitySchemes": { bearer: BEARER, key: { type: "apiKey", in: "header", name: "k" } },
    },
  },
  {
    what: "another scheme of a token",
    before: {},
    after: { "components securitySchemes token scheme": "basic" },
    platform: OLD_CALL,
    providers: NEW_CALL,
  },
  ...reversed(
    {
      what: "a further server",
      before: {},
      after: { servers: [...(OPENAPI.servers as []), { url: "https://c" }] },
    },
    { platform: OLD_CALL },
  ),
  {
    what: "another server",
    before: {},
    after: { servers: [{ url: "https://c" }] },
    platform: OLD_CALL,
    providers: NEW_CALL,
  },
  ...reversed(
    {
      what: "a further value of a server variable",
      before: {},
      after: { "servers 0 variables host enum": ["a", "b", "c"] },
    },
    { platform: OLD_CALL },
  ),
  {
    what: "a key that the generator does not know",
    before: {},
    after: at("callbacks", { a: {} }),
    platform: OLD_CALL,
    providers: NEW_CALL,
  },
  {
    what: "texts and extensions",
    before: {},
    after: { ...at("summary", "s"), ...at("x-a", 1), "info description": "d" },
  },
];

export const ASYNCAPI: Json = {
  asyncapi: "3.0.0",
  info: { title: "t", version: "1.0.0" },
  defaultContentType: "application/json",
  servers: { s: { host: "h", protocol: "https" } },
  channels: {
    c: {
      address: "/{p}",
      parameters: { p: { enum: ["a", "b"] } },
      messages: { m: { name: "m", payload: OPEN } },
    },
  },
  operations: {
    o: { action: "send", channel: { $ref: "#/channels/c" }, messages: [{ $ref: "#/channels/c/messages/m" }] },
  },
  components: { securitySchemes: { token: BEARER, basic: { type: "http", scheme: "basic" } } },
};

const OLD_EVENT = "the new reader refuses the old event";
const NEW_EVENT = "the old reader refuses the new event, or waits for one";
const scheme = (...names: string[]) => ({
  "servers s security": names.map((name) => ({ $ref: `#/components/securitySchemes/${name}` })),
});

export const ASYNCAPI_CHANGES: DocumentChange[] = [
  ...reversed(
    {
      what: "an event that is new",
      before: {},
      after: { "channels c messages n": { name: "n", payload: OPEN } },
    },
    { platform: NEW_EVENT },
  ),
  ...reversed(
    { what: "a channel that is new", before: {}, after: { "channels d": { address: "/d" } } },
    { platform: NEW_EVENT },
  ),
  {
    what: "another address",
    before: {},
    after: { "channels c address": "/d/{p}" },
    platform: NEW_EVENT,
    providers: OLD_EVENT,
  },
  {
    what: "another name of an event",
    before: {},
    after: { "channels c messages m name": "n" },
    platform: NEW_EVENT,
    providers: OLD_EVENT,
  },
  {
    what: "another content type",
    before: {},
    after: { defaultContentType: "application/cbor" },
    platform: NEW_EVENT,
    providers: OLD_EVENT,
  },
  ...reversed(
    {
      what: "required headers",
      before: {},
      after: { "channels c messages m headers": { type: "object", required: ["h"] } },
      providers: OLD_EVENT,
    },
    { platform: NEW_EVENT },
  ),
  ...reversed(
    {
      what: "a further value in an address",
      before: {},
      after: { "channels c parameters p enum": ["a", "b", "c"] },
      platform: NEW_EVENT,
    },
    { providers: OLD_EVENT },
  ),
  {
    what: "another direction",
    before: {},
    after: { "operations o action": "receive" },
    platform: NEW_EVENT,
    providers: OLD_EVENT,
  },
  {
    what: "another method",
    before: {},
    after: { "operations o bindings": { http: { method: "PUT" } } },
    platform: NEW_EVENT,
    providers: OLD_EVENT,
  },
  {
    what: "another host",
    before: {},
    after: { "servers s host": "i" },
    platform: NEW_EVENT,
    providers: OLD_EVENT,
  },
  ...reversed(
    { what: "a token of events", before: {}, after: scheme("token"), providers: OLD_EVENT },
    { platform: NEW_EVENT },
  ),
  ...reversed(
    {
      what: "a second way to authenticate events",
      before: scheme("token"),
      after: scheme("token", "basic"),
      platform: NEW_EVENT,
    },
    { providers: OLD_EVENT },
  ),
];
