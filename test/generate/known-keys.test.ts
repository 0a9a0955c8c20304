import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { emit } from "../../scripts/emit/emit.ts";
import { SpecFault } from "../../scripts/emit/fault.ts";
import { folderWith, LIBRARY, openapi, PROJECT } from "./workspace.ts";

/** Returns the fault of a folder with these files as it is shown. */
async function faultOf(files: Readonly<Record<string, unknown>>): Promise<string> {
  return emit(folderWith(files)).then(
    () => "none",
    (error: unknown) => {
      if (error instanceof SpecFault) return error.message;
      throw error;
    },
  );
}

const RESPONSES = { 204: { description: "Nothing" } };
const JSON_OF = (media: object) => ({ "application/json": media });
const inOperation = (operation: object) => ({ "small.openapi.yaml": openapi({ operation }) });
const inDocument = (document: object) => ({ "small.openapi.yaml": openapi({ document }) });
const inPath = (item: object) =>
  inDocument({ paths: { "/things": { get: { operationId: "look", responses: RESPONSES }, ...item } } });
const inSchema = (schema: object) => ({ "small.openapi.yaml": openapi({ schemas: { Thing: schema } }) });
const THING = "#/components/schemas/Thing";
const inParameter = (parameter: object) =>
  inOperation({ parameters: [{ name: "p", in: "query", schema: {}, ...parameter }] });
const inResponse = (response: object) =>
  inOperation({ responses: { 200: { description: "", ...response } } });
const inEvents = (parts: object) => ({
  "small.asyncapi.yaml": {
    asyncapi: "3.0.0",
    info: { title: "Small", version: "1.0.0" },
    channels: { changes: { address: "/changes", messages: { one: { $ref: "#/components/messages/One" } } } },
    components: { messages: { One: { payload: { type: "string" } } } },
    ...parts,
  },
});
const inMessage = (message: object) =>
  inEvents({ components: { messages: { One: { payload: {}, ...message } } } });
const inChannel = (channel: object) =>
  inEvents({
    channels: { changes: { messages: { one: { $ref: "#/components/messages/One" } }, ...channel } },
  });

const MISSPELT: [word: string, means: string, files: object][] = [
  ["pahts", "paths", inDocument({ pahts: {} })],
  ["securty", "security", inDocument({ securty: [] })],
  ["sevrers", "servers", inDocument({ sevrers: [] })],
  ["componets", "components", inDocument({ componets: {} })],
  ["tgas", "tags", inDocument({ tgas: [] })],
  ["externalDoc", "externalDocs", inDocument({ externalDoc: {} })],
  ["tittle", "title", inDocument({ info: { tittle: "", version: "" } })],
  ["licence", "license", inDocument({ info: { title: "", version: "", licence: {} } })],
  ["emial", "email", inDocument({ info: { title: "", version: "", contact: { emial: "" } } })],
  ["identifer", "identifier", inDocument({ info: { title: "", version: "", license: { identifer: "" } } })],
  ["ulr", "url", inDocument({ servers: [{ ulr: "" }] })],
  ["defualt", "default", inDocument({ servers: [{ url: "", variables: { host: { defualt: "" } } }] })],
  ["desciption", "description", inDocument({ tags: [{ name: "a", desciption: "" }] })],
  ["posst", "post", inPath({ posst: {} })],
  ["paramters", "parameters", inPath({ paramters: [] })],
  ["securty", "security", inOperation({ securty: [] })],
  ["operationID", "operationId", inOperation({ operationID: "a" })],
  ["requestbody", "requestBody", inOperation({ requestbody: {} })],
  ["respones", "responses", inOperation({ respones: {} })],
  ["depreciated", "deprecated", inOperation({ depreciated: true })],
  ["sumary", "summary", inOperation({ sumary: "" })],
  [
    "requried",
    "required",
    inOperation({ requestBody: { requried: true, content: JSON_OF({ schema: {} }) } }),
  ],
  ["scheme", "schema", inOperation({ requestBody: { content: JSON_OF({ scheme: {} }) } })],
  ["exmaple", "example", inOperation({ requestBody: { content: JSON_OF({ schema: {}, exmaple: 1 }) } })],
  ["requied", "required", inParameter({ requied: true })],
  ["explod", "explode", inParameter({ explod: false })],
  ["stlye", "style", inParameter({ stlye: "form" })],
  ["contnet", "content", inResponse({ contnet: {} })],
  ["haeders", "headers", inResponse({ haeders: {} })],
  ["schma", "schema", inResponse({ headers: { "X-Total": { schma: {} } } })],
  ["valeu", "value", inResponse({ content: JSON_OF({ schema: {}, examples: { one: { valeu: 1 } } }) })],
  ["minLenght", "minLength", inResponse({ headers: { "X-Total": { schema: { minLenght: 1 } } } })],
  ["schemass", "schemas", inDocument({ components: { schemass: {} } })],
  ["securitySchemas", "securitySchemes", inDocument({ components: { securitySchemas: {} } })],
  [
    "bearerFromat",
    "bearerFormat",
    inDocument({ components: { securitySchemes: { a: { bearerFromat: "" } } } }),
  ],
  ["maxLenght", "maxLength", inSchema({ type: "string", maxLenght: 3 })],
  ["aditionalProperties", "additionalProperties", inSchema({ type: "object", aditionalProperties: false })],
  ["channles", "channels", inEvents({ channles: {} })],
  ["adress", "address", inChannel({ adress: "/changes" })],
  ["payloads", "payload", inMessage({ payloads: {} })],
  ["acton", "action", inEvents({ operations: { send: { acton: "send" } } })],
  ["replay", "reply", inEvents({ operations: { send: { replay: {} } } })],
  ["host_", "host", inEvents({ servers: { main: { host_: "" } } })],
];

describe("a misspelt key is refused with file, line and the word that was meant:", () => {
  it.each(MISSPELT)("%s, for %s", async (word, means, files) => {
    const fault = await faultOf(files as Record<string, unknown>);
    expect(fault).toMatch(/^spec\/small\.(?:openapi|asyncapi)\.yaml:\d+:\d+ #\//);
    expect(fault).toContain(`"${word}"`);
    expect(fault).toContain(`-> write "${means}"`);
  });
});

/** What is understood by others, and not by this generator: each with the remedy that its fault names. */
const REFUSED: [name: string, remedy: RegExp, files: Record<string, unknown>][] = [
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
    /repeat the name/,
    inParameter({ in: "header", schema: { type: "array", items: { type: "string" } } }),
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
  ["'required' that is no list", /array/, inSchema({ required: "a" })],
  ["a list that is none", /correct it/, inDocument({ servers: { url: "" } })],
  ["an operation that is none", /correct it/, inPath({ put: "x" })],
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
];

describe("what the generated code would not heed is refused, with file and line and what to do:", () => {
  it.each(REFUSED)("%s", async (_, remedy, files) => {
    const fault = await faultOf(files);
    expect(fault).toMatch(/^spec\/\S+\.(?:ya?ml|json):\d+:\d+(?: #\S+)?\n {2}\S.*\n {2}-> \S/);
    expect(fault).toMatch(remedy);
  });
});

describe("a document", () => {
  it("may have lines that end as in Windows, extensions, and names of the author's own", async () => {
    const text =
      "openapi: 3.1.0\r\ninfo: { title: a, version: '1', x-owner: me }\r\npaths: {}\r\nx-more: { anything: 1 }\r\n";
    expect(await faultOf({ "small.openapi.yaml": text })).toBe("none");
  });

  it("generates the same from lines that end as in Windows", async () => {
    const documents = Object.fromEntries(documentsOf(LIBRARY).map(({ name, text }) => [name, text]));
    const [plain, windows] = [{ ...documents, ...shared(LIBRARY) }, new Map<string, string>()];
    for (const [name, text] of Object.entries(plain)) windows.set(name, text.replaceAll("\n", "\r\n"));
    expect(await emit(folderWith(Object.fromEntries(windows)))).toEqual(await emit(folderWith(plain)));
  });

  it("and all that is generated is checked out with the same line ends everywhere", () => {
    const paths = ["spec/schemas/ids.yaml", "generated/provider/validators.js"];
    const shown = execFileSync("git", ["check-attr", "eol", "--", ...paths], {
      cwd: PROJECT,
      encoding: "utf8",
    });
    expect(shown).toBe(paths.map((path) => `${path}: eol: lf\n`).join(""));
  });

  it("is not followed around a circle of messages and channels", async () => {
    expect(await faultOf(inEvents({}))).toBe("none");
  });
});

/** Whose keys are names of the author's own. */
const NAMING = new Set(
  "paths schemas properties patternProperties dependentSchemas dependentRequired responses examples requestBodies headers securitySchemes content variables messages channels servers".split(
    " ",
  ),
);
/** What holds any value. */
const FREE = new Set([
  "example",
  "value",
  "default",
  "const",
  "enum",
  "bindings",
  "security",
  "payloads",
  "flows",
]);

interface Key {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Returns every key of a document that the standard defines. */
function keysIn(value: unknown, above = ""): Key[] {
  if (FREE.has(above)) return [];
  if (Array.isArray(value)) return value.flatMap((item) => keysIn(item, above === "examples" ? "value" : ""));
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  const isNaming =
    NAMING.has(above) || (above === "parameters" && !("name" in holder)) || above === "operations";
  return Object.entries(holder).flatMap(([key, below]) => {
    if (key.startsWith("x-")) return [];
    if (isNaming) return keysIn(below, "");
    return [{ holder, key }, ...keysIn(below, key)];
  });
}

const SPEC = join(PROJECT, "spec");
const shared = (folder: string) =>
  Object.fromEntries(
    readdirSync(join(folder, "schemas")).map((name) => [
      `schemas/${name}`,
      readFileSync(join(folder, "schemas", name), "utf8"),
    ]),
  );
const documentsOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /\.(?:openapi|asyncapi)\.yaml$/.test(name))
    .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8"), others: shared(folder) }));

describe.each([...documentsOf(SPEC), ...documentsOf(LIBRARY)])("in $name", ({ name, text, others }) => {
  it("any key with one letter changed is refused by its line", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.constantFrom(..."qzxk"), async (nth, at, letter) => {
        const document = parse(text, { maxAliasCount: -1 });
        const keys = keysIn(document);
        const { holder, key } = keys[nth % keys.length] as Key;
        const index = at % key.length;
        const other = key[index] === letter ? "j" : letter;
        const changed = key.slice(0, index) + other + key.slice(index + 1);
        const entries = Object.entries(holder).map(([each, value]) => [each === key ? changed : each, value]);
        for (const each of Object.keys(holder)) delete holder[each];
        Object.assign(holder, Object.fromEntries(entries));
        const fault = await faultOf({ ...others, [name]: document });
        expect(fault, `${key} as ${changed}`).toMatch(/^spec\/\S+:\d+:\d+ #/);
      }),
      { numRuns: 25 },
    );
  });
});
