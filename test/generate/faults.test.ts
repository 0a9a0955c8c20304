import { describe, expect, it } from "vitest";
import { emit } from "../../scripts/emit/emit.ts";
import { folderWith, openapi } from "./workspace.ts";

const json = (schema: object) => ({ "application/json": { schema } });
const parameter = (parts: object) => ({
  parameters: [{ name: "p", in: "query", schema: { type: "string" }, ...parts }],
});
const response = (content: object) => ({ responses: { 200: { description: "", content } } });

/** Whether a fault names the place, with some line and column. */
const isAt = (fault: string, file: string, pointer: string): boolean =>
  fault.replace(/:[1-9]\d*:[1-9]\d* #/, ":L:C #").startsWith(`SpecFault: ${file}:L:C #${pointer}\n`);

async function faultOf(files: Readonly<Record<string, unknown>>): Promise<string> {
  return emit(folderWith(files)).then(
    () => "none",
    (error: unknown) => `${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
  );
}

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
  "an invalid operationId": [{ operationId: "look-up" }, "", "look-up"],
};

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
  "a name that is not a type name": [{ "a-b": { type: "string" } }, "/a-b", '"a-b"'],
  "a name that the generated code uses": [{ Message: { type: "string" } }, "/Message", '"Message"'],
};

describe("an unsupported or incorrect document is refused, with the place and the fix:", () => {
  it.each(Object.entries(OPERATIONS))("%s", async (_name, [operation, place, problem]) => {
    const fault = await faultOf({ "small.openapi.yaml": openapi({ operation }) });
    expect(isAt(fault, "spec/small.openapi.yaml", `/paths/~1things/get${place}`), fault).toBe(true);
    expect(fault).toContain(problem);
    expect(fault).toMatch(/\n {2}-> \S/);
  });

  it.each(Object.entries(SCHEMAS))("%s", async (_name, [schemas, place, problem]) => {
    const fault = await faultOf({ "small.openapi.yaml": openapi({ schemas }) });
    expect(isAt(fault, "spec/small.openapi.yaml", `/components/schemas${place}`), fault).toBe(true);
    expect(fault).toContain(problem);
    expect(fault).toMatch(/\n {2}-> \S/);
  });

  it("OpenAPI 3.0, undeclared path parameters and taken operationIds", async () => {
    expect(await faultOf({ "a.openapi.yaml": openapi({ document: { openapi: "3.0.3" } }) })).toContain(
      "3.0.3",
    );
    expect(await faultOf({ "a.openapi.yaml": openapi({ path: "/things/{thing}" }) })).toContain(
      "{thing} is not declared",
    );
    const operation = { operationId: "look", responses: { 204: { description: "" } } };
    const paths = { "/a": { get: operation }, "/b": { get: operation } };
    expect(await faultOf({ "a.openapi.yaml": openapi({ document: { paths } }) })).toContain(
      '"look" is taken',
    );
  });

  it("YAML that cannot be read, by line", async () => {
    expect(await faultOf({ "a.openapi.yaml": "openapi: 3.1.0\ninfo: [\n" })).toMatch(
      /spec\/a\.openapi\.yaml:\d+:\d+\n/,
    );
  });

  it("two documents with one name", async () => {
    expect(await faultOf({ "a.openapi.yaml": openapi(), "a.asyncapi.yaml": {} })).toContain('named "a"');
  });

  it.each<[string, object, string]>([
    [
      "another schemaFormat",
      {
        components: {
          messages: { M: { payload: { schemaFormat: "application/vnd.apache.avro", schema: {} } } },
        },
      },
      "/components/messages/M/payload/schemaFormat",
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
  ])("AsyncAPI: %s", async (_name, parts, place) => {
    const fault = await faultOf({ "a.asyncapi.yaml": { asyncapi: "3.0.0", ...parts } });
    expect(isAt(fault, "spec/a.asyncapi.yaml", place), fault).toBe(true);
  });
});

describe("schemas in separate files", () => {
  it("keep their names, also when a document gives them the same name again", async () => {
    const schemas = { Part: { $ref: "shared/a.yaml#/Part" } };
    const operation = response(json({ $ref: "shared/a.yaml#/Whole" }));
    const shared = {
      Part: { type: "string" },
      Whole: { type: "object", properties: { part: { $ref: "#/Part" } } },
    };
    const files = { "small.openapi.yaml": openapi({ operation, schemas }), "shared/a.yaml": shared };
    const output = await emit(folderWith(files));
    expect(output.get("small/types.ts")).toContain('part?: components["schemas"]["Part"]');
    expect(output.get("small/types.ts")).toContain("export type Whole =");
  });

  it("must not clash, and an error names both places", async () => {
    const operation = response(json({ type: "array", items: { $ref: "a.yaml#/Part" } }));
    const schemas = { Part: { type: "number" } };
    const fault = await faultOf({
      "small.openapi.yaml": openapi({ operation, schemas }),
      "a.yaml": { Part: { type: "string" } },
    });
    expect(fault).toContain("spec/a.yaml:1:1 #/Part\n");
    expect(fault).toContain("spec/small.openapi.yaml#/components/schemas/Part");
  });

  it("may refer to themselves", async () => {
    const Tree = {
      type: "object",
      properties: { below: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
    };
    const output = await emit(folderWith({ "small.openapi.yaml": openapi({ schemas: { Tree } }) }));
    expect(output.get("small/types.ts")).toContain('below?: components["schemas"]["Tree"][]');
  });
});
