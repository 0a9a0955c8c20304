import { all } from "./schema.ts";

// What the generator understands of OpenAPI 3.1 and AsyncAPI 3.0, object by object. `spec/guides/supported.md` is written from these tables.

/**
 * What stands under a key: `any` value, a `schema`, one object, a list of objects, or named objects. `unsupported`: what to do instead.
 */
export type Known =
  | "any"
  | "schema"
  | { readonly one: string }
  | { readonly list: string }
  | { readonly named: string }
  | { readonly unsupported: string };

export type KnownKeys = Readonly<Record<string, Known>>;

const any = (...keys: string[]): KnownKeys => all("any", ...keys);
const one = (name: string): Known => ({ one: name });
const list = (name: string): Known => ({ list: name });
const named = (name: string): Known => ({ named: name });
const not = (unsupported: string): Known => ({ unsupported });

const TAGGED = { tags: list("tag"), externalDocs: one("externalDocs") };

/** What both kinds of documents share. */
const COMMON = {
  info: {
    ...any("title", "summary", "description", "termsOfService", "version"),
    contact: one("contact"),
    license: one("license"),
  },
  contact: any("name", "url", "email"),
  license: any("name", "identifier", "url"),
  tag: { ...any("name", "description"), externalDocs: one("externalDocs") },
  externalDocs: any("description", "url"),
  variable: any("enum", "default", "description", "examples"),
  securityScheme: {
    ...any("type", "scheme", "bearerFormat", "description"),
    ...any("name", "in", "openIdConnectUrl", "flows"),
  },
} as const satisfies Readonly<Record<string, KnownKeys>>;

const NO_LINKS = not("describe the next call in the text");
const OTHER_DOCUMENT = not("describe what is sent to others in an AsyncAPI document");

export const OPENAPI: Readonly<Record<string, KnownKeys>> = {
  ...COMMON,
  document: {
    openapi: "any",
    info: one("info"),
    servers: list("server"),
    paths: named("path"),
    components: one("components"),
    security: list("requirement"),
    ...TAGGED,
    webhooks: OTHER_DOCUMENT,
    jsonSchemaDialect: not("write schemas of JSON Schema 2020-12"),
  },
  server: { ...any("url", "description"), variables: named("variable") },
  path: {
    ...any("summary", "description"),
    parameters: list("parameter"),
    ...all(one("operation"), "get", "put", "post", "delete", "patch"),
    ...all(not("use get, put, post, delete or patch"), "head", "options", "trace"),
    servers: not("list the servers once, for the document"),
  },
  operation: {
    ...any("operationId", "tags", "summary", "description", "deprecated"),
    externalDocs: one("externalDocs"),
    parameters: list("parameter"),
    requestBody: one("requestBody"),
    responses: named("response"),
    security: list("requirement"),
    callbacks: OTHER_DOCUMENT,
    servers: not("list the servers once, for the document"),
  },
  parameter: {
    ...any("name", "in", "description", "required", "deprecated", "style", "explode", "example"),
    schema: "schema",
    examples: named("example"),
    content: not("give the parameter a schema"),
    allowEmptyValue: not("let the schema allow the empty text"),
    allowReserved: not("leave it out: such characters are escaped"),
  },
  requestBody: { ...any("description", "required"), content: named("mediaType") },
  mediaType: { schema: "schema", example: "any", examples: named("example"), encoding: not("use JSON") },
  response: { description: "any", headers: named("header"), content: named("mediaType"), links: NO_LINKS },
  header: {
    ...any("description", "deprecated", "example"),
    schema: "schema",
    examples: named("example"),
    required: not("leave it out: headers of responses are described, and not checked"),
  },
  example: {
    ...any("summary", "description", "value"),
    externalValue: not("write the value, or refer to a file by $ref"),
  },
  requirement: {},
  components: {
    schemas: named("schema"),
    responses: named("response"),
    parameters: named("parameter"),
    examples: named("example"),
    requestBodies: named("requestBody"),
    headers: named("header"),
    securitySchemes: named("securityScheme"),
    links: NO_LINKS,
    callbacks: OTHER_DOCUMENT,
    pathItems: not("write the paths out"),
  },
};

const TRAITS = not("write out what the trait adds");

export const ASYNCAPI: Readonly<Record<string, KnownKeys>> = {
  ...COMMON,
  document: {
    ...any("asyncapi", "id", "defaultContentType"),
    info: one("info"),
    servers: named("server"),
    channels: named("channel"),
    operations: named("operation"),
    components: one("components"),
  },
  info: { ...COMMON.info, ...TAGGED },
  server: {
    ...any("host", "protocol", "protocolVersion", "pathname", "title", "summary", "description", "bindings"),
    variables: named("variable"),
    security: list("securityScheme"),
    ...TAGGED,
  },
  channel: {
    ...any("address", "title", "summary", "description", "bindings"),
    servers: list("server"),
    parameters: named("parameter"),
    messages: named("message"),
    ...TAGGED,
  },
  parameter: any("enum", "default", "description", "examples", "location"),
  operation: {
    ...any("action", "title", "summary", "description", "bindings"),
    channel: one("channel"),
    messages: list("message"),
    reply: one("reply"),
    security: list("securityScheme"),
    ...TAGGED,
    traits: TRAITS,
  },
  reply: { address: "any", channel: one("channel"), messages: list("message") },
  message: {
    ...any("name", "title", "summary", "description", "contentType", "correlationId", "bindings", "examples"),
    payload: "schema",
    ...TAGGED,
    headers: not("describe headers in the text: the generated code does not read them"),
    traits: TRAITS,
  },
  components: {
    schemas: named("schema"),
    messages: named("message"),
    channels: named("channel"),
    operations: named("operation"),
    servers: named("server"),
    securitySchemes: named("securityScheme"),
    serverVariables: named("variable"),
    parameters: named("parameter"),
    replies: named("reply"),
    tags: named("tag"),
    externalDocs: named("externalDocs"),
    messageTraits: TRAITS,
    operationTraits: TRAITS,
  },
};

/** What may stand beside a `$ref` that is not in a schema. */
export const REFERENCE: KnownKeys = any("$ref", "summary", "description");
