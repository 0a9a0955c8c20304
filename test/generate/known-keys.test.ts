import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { emit } from "../../scripts/emit/emit.ts";
import {
  inChannel,
  inDocument,
  inEvents,
  inMessage,
  inOperation,
  inParameter,
  inPath,
  inResponse,
  inSchema,
  JSON_OF,
} from "./refused.ts";
import { faultOf, folderWith, LIBRARY, PROJECT } from "./workspace.ts";

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
