import { openapi } from "./workspace.ts";

/** A form that is refused: the files of a spec folder, and what the fault says. */
export interface Refusal {
  readonly name: string;
  readonly files: Readonly<Record<string, unknown>>;
  /** The pointer of the place; any place without it. */
  readonly at?: string;
  /** The problem or the remedy. */
  readonly says: string | RegExp;
}

const RESPONSES = { 204: { description: "Nothing" } };
export const JSON_OF = (media: object) => ({ "application/json": media });
export const inOperation = (operation: object) => ({ "small.openapi.yaml": openapi({ operation }) });
export const inDocument = (document: object) => ({ "small.openapi.yaml": openapi({ document }) });
export const inPath = (item: object) =>
  inDocument({ paths: { "/things": { get: { operationId: "look", responses: RESPONSES }, ...item } } });
export const inSchema = (schema: object) => ({
  "small.openapi.yaml": openapi({ schemas: { Thing: schema } }),
});
const THING = "#/components/schemas/Thing";
export const inParameter = (parameter: object) =>
  inOperation({ parameters: [{ name: "p", in: "query", schema: {}, ...parameter }] });
export const inResponse = (response: object) =>
  inOperation({ responses: { 200: { description: "", ...response } } });
export const inEvents = (parts: object) => ({
  "small.asyncapi.yaml": {
    asyncapi: "3.0.0",
    info: { title: "Small", version: "1.0.0" },
    channels: { changes: { address: "/changes", messages: { one: { $ref: "#/components/messages/One" } } } },
    components: { messages: { One: { payload: { type: "string" } } } },
    ...parts,
  },
});
export const inMessage = (message: object) =>
  inEvents({ components: { messages: { One: { payload: {}, ...message } } } });
export const inChannel = (channel: object) =>
  inEvents({
    channels: { changes: { messages: { one: { $ref: "#/components/messages/One" } }, ...channel } },
  });

const json = (schema: object) => JSON_OF({ schema });
const parameter = (parts: object) => ({
  parameters: [{ name: "p", in: "query", schema: { type: "string" }, ...parts }],
});
const response = (content: object) => ({ responses: { 200: { description: "", content } } });

/** A document with an operation for each path. */
function inPaths(...paths: string[]): Record<string, unknown> {
  const items = paths.map((path, index) => {
    const parameters = [...path.matchAll(/\{(\w)\}/g)].map(([, name]) => {
      return { name, in: "path", required: true, schema: { type: "string" } };
    });
    return [path, { get: { operationId: `op${index}`, parameters, responses: RESPONSES } }];
  });
  return inDocument({ paths: Object.fromEntries(items) });
}

/** By the pointer below the operation, and the problem. */
const OPERATIONS: Record<string, [operation: object, place: string, problem: string]> = {
  "a cookie": [parameter({ in: "cookie" }), "/parameters/0", 'in "cookie"'],
  "a deep object": [parameter({ style: "deepObject" }), "/parameters/0/style", "deepObject"],
  "a parameter that is an object": [
    parameter({ schema: { type: "object" } }),
    "/parameters/0/schema",
    "type object",
  ],
  "a parameter with content": [
    parameter({ schema: undefined, content: json({}) }),
    "/parameters/0/content",
    "give the parameter a schema",
  ],
  "a reserved header": [parameter({ in: "header", name: "Authorization" }), "/parameters/0", "Authorization"],
  "a path parameter that the path lacks": [parameter({ in: "path", required: true }), "", "has no {p}"],
  "a multipart body": [
    { requestBody: { content: { "multipart/form-data": { schema: {} } } } },
    "/requestBody/content/multipart~1form-data",
    "multipart/form-data",
  ],
  "text as a response": [
    response({ "text/plain": { schema: {} } }),
    "/responses/200/content/text~1plain",
    "text/plain",
  ],
  "two media types": [
    response({ ...json({}), "application/problem+json": { schema: {} } }),
    "/responses/200/content",
    "several",
  ],
  "a range of statuses": [{ responses: { "4XX": { description: "" } } }, "/responses/4XX", "4XX"],
  "no response": [{ responses: {} }, "/responses", "no response"],
  callbacks: [{ callbacks: {} }, "/callbacks", "callbacks"],
  "an unknown security scheme": [{ security: [{ magic: [] }] }, "/security", "magic"],
  "optional security": [{ security: [{}] }, "/security", "optional"],
  "an operationId of other letters": [{ operationId: "sök" }, "/operationId", "sök"],
  "an operationId that begins with a digit": [{ operationId: "2nd" }, "/operationId", "2nd"],
};

/** By the pointer below the schemas, and the problem. */
const SCHEMAS: Record<string, [schemas: object, place: string, problem: string]> = {
  "an unknown format": [
    { A: { properties: { b: { type: "string", format: "phone" } } } },
    "/A/properties/b/format",
    '"phone"',
  ],
  "a misspelt keyword": [{ A: { type: "string", maxLenght: 3 } }, "/A/maxLenght", "maxLenght"],
  "a keyword of OpenAPI 3.0": [{ A: { type: "string", nullable: true } }, "/A/nullable", "nullable"],
  "an invalid pattern": [{ A: { type: "string", pattern: "(" } }, "/A/pattern", "regular expression"],
  "a pattern that backtracks": [
    { A: { type: "string", pattern: "^(a+)+$" } },
    "/A/pattern",
    "more than linear time",
  ],
  "a pattern of names that may start anywhere": [
    { A: { type: "object", patternProperties: { "a+b": true } } },
    "/A/patternProperties/a+b",
    "more than linear time",
  ],
  "a reference to nothing": [
    { A: { items: { $ref: "#/components/schemas/B" } } },
    "/A/items",
    "leads nowhere",
  ],
  "a reference to another host": [{ A: { $ref: "https://example.org/a.yaml#/A" } }, "/A", "outside"],
  "a reference to a missing file": [{ A: { $ref: "none.yaml#/A" } }, "/A", "none.yaml"],
  "a name that is not a type name": [{ "a-ö": { type: "string" } }, "/a-ö", '"a-ö"'],
  "two names that would be one type": [
    { "a-b": {}, aB: {} },
    "/aB",
    "taken by spec/small.openapi.yaml#/components/schemas/a-b",
  ],
  "a minimum above the maximum": [{ A: { minimum: 3, maximum: 1 } }, "/A/minimum", 'above "maximum"'],
  "a bound that excludes the other": [
    { A: { exclusiveMinimum: 1, maximum: 1 } },
    "/A/exclusiveMinimum",
    'above "maximum"',
  ],
  "more letters than are allowed": [
    { A: { minLength: 2, maxLength: 1 } },
    "/A/minLength",
    "nothing is valid",
  ],
  "a required member beside others": [
    { A: { type: "object", required: ["nmae"], properties: { name: {} } } },
    "/A/required",
    'write "name"',
  ],
  "a required member, and no other": [
    { A: { type: "object", required: ["a"] } },
    "/A/required",
    "add it to 'properties'",
  ],
  "a default that the schema refuses": [{ A: { type: "string", default: 1 } }, "/A/default", "correct one"],
  "an example that the schema refuses": [
    { A: { items: { type: "string", examples: ["a", 1] } } },
    "/A/items/examples/1",
    "correct one",
  ],
  "a number of 32 bits": [{ A: { type: "integer", format: "int32" } }, "/A/format", "-2147483648"],
  bytes: [{ A: { type: "string", format: "binary" } }, "/A/format", "base64"],
  "a name that the generated code uses": [{ Message: { type: "string" } }, "/Message", '"Message"'],
};

/** By the pointer in the document of messages. */
const MESSAGES: [name: string, parts: object, place: string][] = [
  [
    "another schemaFormat",
    {
      channels: { c: { messages: { m: { $ref: "#/components/messages/One" } } } },
      components: {
        messages: { One: { payload: { schemaFormat: "application/vnd.apache.avro", schema: {} } } },
      },
    },
    "/components/messages/One/payload/schemaFormat",
  ],
  ["no payload", { components: { messages: { M: {} } } }, "/components/messages/M"],
  [
    "traits",
    { components: { messages: { M: { traits: [], payload: {} } } } },
    "/components/messages/M/traits",
  ],
  [
    "a message inside a channel",
    { channels: { c: { messages: { m: { payload: {} } } } } },
    "/channels/c/messages/m",
  ],
  ["another version", { asyncapi: "2.6.0" }, "/asyncapi"],
];

/** By the remedy. */
const OTHERS: [name: string, says: string | RegExp, files: Record<string, unknown>][] = [
  ["webhooks", /AsyncAPI/, inDocument({ webhooks: {} })],
  ["another dialect of schemas", /2020-12/, inDocument({ jsonSchemaDialect: "x" })],
  ["servers of a path", /once/, inPath({ servers: [] })],
  ["servers of an operation", /once/, inOperation({ servers: [] })],
  ["head", /get, put, post/, inPath({ head: {} })],
  ["callbacks", /AsyncAPI/, inOperation({ callbacks: {} })],
  ["links", /text/, inResponse({ links: {} })],
  ["a required header of a response", /not checked/, inResponse({ headers: { "X-A": { required: true } } })],
  ["encoding", /JSON/, inOperation({ requestBody: { content: JSON_OF({ schema: {}, encoding: {} }) } })],
  ["allowReserved", /escaped/, inParameter({ allowReserved: true })],
  ["allowEmptyValue", /schema/, inParameter({ allowEmptyValue: true })],
  [
    "a YAML merge key",
    /<</,
    { "a.openapi.yaml": "openapi: 3.1.0\npaths: { /a: { get: { <<: { operationId: a } } } }\n" },
  ],
  ["readOnly", /two schemas/, inSchema({ properties: { a: { readOnly: true } } })],
  ["writeOnly", /two schemas/, inSchema({ properties: { a: { writeOnly: true } } })],
  ["a discriminator", /const/, inSchema({ oneOf: [], discriminator: { propertyName: "a" } })],
  ["a complete form of nothing", /schema of this document/, inSchema({ "x-completes": "Shift" })],
  ["a complete form of itself", /schema of this document/, inSchema({ "x-completes": "Thing" })],
  ["a misspelt link to a complete form", /write "x-completes"/, inSchema({ "x-complets": "Thing" })],
  [
    "a complete form that has no name",
    /directly in a named schema/,
    inSchema({ items: { "x-completes": "Thing" } }),
  ],
  [
    "two complete forms of one schema",
    /keep one/,
    inDocument({
      components: { schemas: { A: {}, B: { "x-completes": "A" }, C: { "x-completes": "A" } } },
    }),
  ],
  ["an integer of 64 bits", /text with a pattern/, inSchema({ type: "integer", format: "int64" })],
  [
    "a bound beyond the integers of JavaScript",
    /smaller number/,
    { "a.openapi.yaml": "openapi: 3.1.0\ncomponents: { schemas: { A: { maximum: 9007199254740993 } } }\n" },
  ],
  [
    "a name that would change a prototype",
    /another name/,
    { "a.openapi.yaml": 'openapi: 3.1.0\ncomponents: { schemas: { A: { const: { "__proto__": 1 } } } }\n' },
  ],
  ["a property called constructor", /another name/, inSchema({ properties: { constructor: {} } })],
  ["a required member called toString", /another name/, inSchema({ required: ["toString"] })],
  ["a parameter called toString", /another name/, inParameter({ name: "toString" })],
  ["an operation called constructor", /operationId/, inOperation({ operationId: "constructor" })],
  ["a schema that applies itself", /break the circle/, inSchema({ allOf: [{ $ref: THING }] })],
  ["a schema that is itself", /break the circle/, inSchema({ $ref: THING })],
  [
    "two schemas that apply each other",
    /break the circle/,
    inDocument({
      components: {
        schemas: {
          Thing: { anyOf: [{ type: "null" }, { $ref: "#/components/schemas/Other" }] },
          Other: { not: { $ref: THING } },
        },
      },
    }),
  ],
  ["values with commas", /repeat the name/, inParameter({ explode: false, schema: { type: "array" } })],
  [
    "a list in a header",
    /a text with a pattern/,
    inParameter({ in: "header", schema: { type: "array", items: { type: "string" } } }),
  ],
  [
    "a list of lists in the query",
    /an array of scalars/,
    inParameter({ schema: { type: "array", items: { type: "array", items: { type: "string" } } } }),
  ],
  [
    "a body of a GET request",
    /use parameters/,
    inPath({ get: { operationId: "look", requestBody: { content: json({}) }, responses: RESPONSES } }),
  ],
  [
    "an example of a parameter that its schema refuses",
    /correct one/,
    inParameter({ schema: { type: "integer" }, example: "a" }),
  ],
  [
    "an example of a body that its schema refuses",
    /correct one/,
    inResponse({ content: JSON_OF({ schema: { type: "integer" }, examples: { one: { value: "a" } } }) }),
  ],
  ["no success", /such as 200/, inOperation({ responses: { default: { description: "" } } })],
  ["a status that ends no call", /each status/, inOperation({ responses: { 100: { description: "" } } })],
  ["a value that the type excludes", /add its type/, inSchema({ type: "string", enum: ["a", null] })],
  ["a constant that the type excludes", /add its type/, inSchema({ type: "string", const: 1 })],
  ["a null that the enum excludes", /add null/, inSchema({ type: ["string", "null"], enum: ["a"] })],
  ["an empty enum", /list the values/, inSchema({ enum: [] })],
  [
    "items left over beside contains",
    /write the items out/,
    inSchema({ contains: {}, unevaluatedItems: false }),
  ],
  [
    "a schema called Client",
    /another name/,
    inDocument({ components: { schemas: { Client: { type: "object" } } } }),
  ],
  [
    "two messages of one name",
    /its own name/,
    inEvents({
      channels: {
        changes: {
          address: "/changes",
          messages: {
            one: { $ref: "#/components/messages/One" },
            two: { $ref: "#/components/messages/Two" },
          },
        },
      },
      components: { messages: { One: { name: "a", payload: {} }, Two: { name: "a", payload: {} } } },
    }),
  ],
  ["headers of a message", /text/, inMessage({ headers: {} })],
  ["traits of an operation", /write out/, inEvents({ operations: { send: { traits: [] } } })],
  [
    "a message in no channel",
    /add it to the messages of a channel/,
    inEvents({ components: { messages: { One: { payload: {} }, Two: { payload: {} } } } }),
  ],
  [
    "a message in no operation's list",
    /add it to the messages of the operation/,
    inEvents({
      operations: { send: { action: "send", channel: { $ref: "#/channels/changes" }, messages: [] } },
    }),
  ],
  [
    "a channel that does not exist",
    /correct it/,
    inEvents({ operations: { send: { channel: { $ref: "#/channels/x" } } } }),
  ],
  ["a type that does not exist", /array, boolean/, inSchema({ type: "numb" })],
  ["a bound that is text", /number/, inSchema({ maximum: "3" })],
  ["'required' that is not a list", /array/, inSchema({ required: "a" })],
  ["a mapping in place of a list", /correct it/, inDocument({ servers: { url: "" } })],
  ["a text in place of an operation", /correct it/, inPath({ put: "x" })],
  ["a document in .yml", /name it/, { "small.openapi.yml": openapi() }],
  ["a document in .json", /name it/, { "small.openapi.json": JSON.stringify(openapi()) }],
  ["a document with a capital name", /name it/, { "Small.openapi.yaml": openapi() }],
  ["a document without its kind in the name", /name it/, { "small.yaml": openapi() }],
  [
    "a merge conflict",
    /one of the two sides/,
    { "a.openapi.yaml": "openapi: 3.1.0\n<<<<<<< ours\ninfo: 1\n=======\n>>>>>>> theirs\n" },
  ],
  ["a tab", /YAML/, { "a.openapi.yaml": "openapi: 3.1.0\ninfo:\n\ttitle: a\n" }],
  ["a key that is there twice", /YAML/, { "a.openapi.yaml": "openapi: 3.1.0\nopenapi: 3.1.0\n" }],
  [
    "a reference in a circle",
    /circle/,
    inDocument({
      components: {
        responses: { A: { $ref: "#/components/responses/B" }, B: { $ref: "#/components/responses/A" } },
      },
    }),
  ],
  ["an alias that is not there", /YAML/, { "a.openapi.yaml": "openapi: 3.1.0\ninfo: *none\n" }],
  ["OpenAPI 3.0", "3.0.3", inDocument({ openapi: "3.0.3" })],
  [
    "an undeclared path parameter",
    "{thing} is not declared",
    { "a.openapi.yaml": openapi({ path: "/things/{thing}" }) },
  ],
  [
    "an operationId that is taken",
    '"look" is taken',
    inDocument({
      paths: {
        "/a": { get: { operationId: "look", responses: RESPONSES } },
        "/b": { get: { operationId: "look", responses: RESPONSES } },
      },
    }),
  ],
  ["YAML that ends too early", /YAML/, { "a.openapi.yaml": "openapi: 3.1.0\ninfo: [\n" }],
  ["two documents with one name", 'named "a"', { "a.openapi.yaml": openapi(), "a.asyncapi.yaml": {} }],
  ["a path that is another one with other names", "the same as /op/{a}", inPaths("/op/{a}", "/op/{b}")],
  ["a path with two parameters in a row", "without a text between them", inPaths("/op/{a}{b}")],
  ["a parameter of two types", "string or integer", inParameter({ schema: { type: ["string", "integer"] } })],
];

/** Every refusal in one table. */
export const REFUSED: readonly Refusal[] = [
  ...Object.entries(OPERATIONS).map(([name, [operation, place, says]]) => ({
    name,
    files: inOperation(operation),
    at: `/paths/~1things/${"requestBody" in operation ? "post" : "get"}${place}`,
    says,
  })),
  ...Object.entries(SCHEMAS).map(([name, [schemas, place, says]]) => ({
    name,
    files: { "small.openapi.yaml": openapi({ schemas }) },
    at: `/components/schemas${place}`,
    says,
  })),
  ...MESSAGES.map(([name, parts, place]) => ({
    name: `in messages, ${name}`,
    files: { "a.asyncapi.yaml": { asyncapi: "3.0.0", ...parts } },
    at: place,
    says: "->",
  })),
  ...OTHERS.map(([name, says, files]) => ({ name, says, files })),
];
