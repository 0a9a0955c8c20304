import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { emit } from "../../scripts/emit/emit.ts";
import type { NamedSchemas, Schema } from "../../scripts/emit/schema.ts";
import { accepts30, accepts31, acceptsBySource, corpus } from "./verdicts.ts";
import { folderWith, openapi } from "./workspace.ts";

interface Written {
  components: { schemas: Record<string, Record<string, unknown>> };
  [part: string]: unknown;
}

/** The two documents of a source, and their folder. */
async function documentsOf(source: object): Promise<{ spec: string; v31: Written; v30: Written }> {
  const spec = folderWith({ "small.openapi.yaml": source });
  const output = await emit(spec);
  const [v31, v30] = ["3.1", "3.0"].map((version) =>
    parse(output.get(`spec/small.openapi-${version}.yaml`) ?? ""),
  );
  return { spec, v31, v30 };
}

const text = { type: "string" };
const number = { type: "number" };
const object = (properties: Record<string, Schema>, more: object = {}) => ({
  type: "object",
  properties,
  ...more,
});
/** Adds `if`, `then` and `else`: an object literal with a member `then` could be read as a promise. */
const when = (...parts: object[]): object =>
  Object.fromEntries(parts.map((part, index) => [["if", "then", "else"][index], part]));
/** The schemas that the rows refer to. */
const NAMED: NamedSchemas = {
  Base: object({ a: text }, { required: ["a"] }),
  Name: { type: ["string", "null"], maxLength: 4 },
};

/** Values of a row's members, including ones that no schema names. */
const VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  0.5,
  1,
  1.5,
  2,
  3,
  10,
  "",
  "a",
  "b",
  "text",
  "x-a",
  [],
  {},
  ["a"],
  [1],
  ["a", 1],
  ["a", 1, "b"],
  [1, 1, 1],
  ["a", "b", "b"],
  { a: "a" },
  { a: 1 },
  { b: 1 },
  { a: "a", b: 1 },
  { a: "a", b: "b" },
  { a: "a", b: 1, c: true },
  { c: null },
  { "x-a": 1 },
  { "x-a": "a" },
  { "x-a": "a", b: 1 },
  { a: "a", "x-a": 1 },
  { a: "a", d: "d" },
  { kind: "one", a: "a" },
  { kind: "two", b: 1 },
  { kind: "one", b: 1 },
  { kind: "two", a: "a" },
  { kind: "one", a: "a", b: 1 },
];

async function verdictsOf(schema: unknown) {
  const { spec, v31, v30 } = await documentsOf(openapi({ schemas: { ...NAMED, Row: schema } }));
  const [source, by31, by30] = [acceptsBySource(spec), accepts31(v31), accepts30(v30)];
  const values = [...VALUES, ...corpus("Row", { ...NAMED, Row: schema as Schema })];
  const verdicts = values.map((value) => ({
    value,
    source: source("small.openapi.yaml#/components/schemas/Row", value),
    by31: by31("document#/components/schemas/Row", value),
    by30: by30("document#/components/schemas/Row", value),
  }));
  return { v31, v30, verdicts };
}

const EXPRESSIBLE: Record<string, [schema: object, in30: object]> = {
  "type with null": [{ type: ["string", "null"] }, { type: "string", nullable: true }],
  "type with null and an enum without": [
    { allOf: [{ type: ["string", "null"] }, { enum: ["a"] }] },
    { type: "string", enum: ["a"] },
  ],
  "only null": [{ type: "null" }, { nullable: true, enum: [null] }],
  "types in a list": [
    { type: ["string", "number", "null"], minimum: 1 },
    { anyOf: [{ nullable: true }, number] },
  ],
  "types in a list, one an array": [
    { type: ["string", "array"], maxItems: 1 },
    { anyOf: [text, { items: {} }] },
  ],
  const: [object({ a: { const: "a" } }), { properties: { a: { enum: ["a"] } } }],
  "exclusive bounds": [
    { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 2 },
    { minimum: 0, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: true },
  ],
  "an exclusive bound below the other": [{ type: "number", minimum: 1, exclusiveMinimum: 0 }, { minimum: 1 }],
  examples: [{ type: "string", examples: ["a", "b"] }, { example: "a" }],
  "a description beside a reference": [
    object({ a: { $ref: "#/components/schemas/Name", description: "A name" } }),
    { properties: { a: { allOf: [{ $ref: "#/components/schemas/Name" }], description: "A name" } } },
  ],
  "a bound beside a reference": [
    object({ a: { $ref: "#/components/schemas/Name", minLength: 2 } }),
    { properties: { a: { type: "string", nullable: true, minLength: 2, maxLength: 4 } } },
  ],
  "allOf beside properties": [
    {
      type: "object",
      allOf: [{ $ref: "#/components/schemas/Base" }],
      required: ["b"],
      properties: { b: number },
    },
    object({ a: text, b: number }, { required: ["a", "b"] }),
  ],
  "allOf of two that narrow each other": [
    {
      allOf: [
        object({ a: { type: "string", minLength: 1 } }),
        object({ a: { type: "string", maxLength: 1 } }),
      ],
    },
    object({ a: { type: "string", minLength: 1, maxLength: 1 } }),
  ],
  "allOf of two closed objects": [
    {
      allOf: [
        object({ a: text, b: number }, { additionalProperties: false }),
        object({ a: text }, { additionalProperties: number }),
      ],
    },
    object({ a: text, b: number }, { additionalProperties: false }),
  ],
  "unevaluatedProperties beside allOf": [
    {
      allOf: [{ $ref: "#/components/schemas/Base" }],
      type: "object",
      properties: { b: number },
      unevaluatedProperties: false,
    },
    object({ a: text, b: number }, { additionalProperties: false }),
  ],
  "unevaluatedProperties beside oneOf": [
    {
      ...object({ kind: text }, { required: ["kind"], unevaluatedProperties: false }),
      oneOf: [object({ kind: { const: "one" }, a: text }), object({ kind: { const: "two" }, b: number })],
    },
    { oneOf: [{ additionalProperties: false }, { additionalProperties: false }] },
  ],
  "a choice beside properties": [
    {
      ...object({ c: {} }),
      anyOf: [object({ a: text }, { required: ["a"] }), object({ b: number }, { required: ["b"] })],
    },
    { anyOf: [object({ c: {}, a: text }), object({ c: {}, b: number })] },
  ],
  "forbidden members": [
    object({ a: text, b: false, c: false }),
    object({ a: text }, { not: { anyOf: [{ required: ["b"] }, { required: ["c"] }] } }),
  ],
  "forbidden members, in any type": [
    { properties: { b: false } },
    { not: { type: "object", required: ["b"] } },
  ],
  "members of which one is required": [
    { ...object({ a: text, b: number }), anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    object({ a: text, b: number }, { not: { not: { anyOf: [{ required: ["a"] }, { required: ["b"] }] } } }),
  ],
  "members of which one is required, and one must not be there": [
    {
      ...object({ a: text, b: number }),
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
      not: { required: ["c"] },
    },
    { not: { anyOf: [{ required: ["c"] }, { not: { anyOf: [{ required: ["a"] }, { required: ["b"] }] } }] } },
  ],
  "if, then, else": [
    {
      ...object({ a: text, b: number, c: {} }),
      ...when({ required: ["a"] }, { required: ["b"] }, { required: ["c"] }),
    },
    object({ a: text, b: number, c: {} }),
  ],
  dependentRequired: [
    object({ a: text, b: number }, { dependentRequired: { a: ["b"] } }),
    object({ a: text, b: number }),
  ],
  dependentSchemas: [
    object({ a: text }, { dependentSchemas: { a: { properties: { b: number } } } }),
    object({ a: text }),
  ],
  contains: [
    { type: "array", contains: number },
    { type: "array", items: {}, not: { items: { not: number } } },
  ],
  "an array of anything": [{ type: "array" }, { type: "array", items: {} }],
};

describe("a schema of OpenAPI 3.1 that 3.0 can express", () => {
  it.each(Object.entries(EXPRESSIBLE))("accepts the same values: %s", async (_name, [schema, in30]) => {
    const { v30, verdicts } = await verdictsOf(schema);
    const row = v30.components.schemas.Row;
    expect(row).toMatchObject(in30);
    expect(JSON.stringify(row)).not.toContain("cannot express");
    const differing = verdicts.filter(({ source, by31, by30 }) => source !== by31 || source !== by30);
    expect(differing).toEqual([]);
    expect(new Set(verdicts.map(({ source }) => source)).size).toBe(2);
  });
});

const LOST: Record<string, [schema: object, in30: object, note: string]> = {
  patternProperties: [
    object({ b: number }, { patternProperties: { "^x-": text }, additionalProperties: false }),
    object({ b: number }, { additionalProperties: text }),
    "`patternProperties`: `^x-`",
  ],
  propertyNames: [{ type: "object", propertyNames: { maxLength: 1 } }, { type: "object" }, "`propertyNames`"],
  prefixItems: [
    { type: "array", prefixItems: [text, number], items: false },
    { type: "array", items: { anyOf: [text, number] }, maxItems: 2 },
    "`prefixItems`",
  ],
  maxContains: [
    { type: "array", contains: number, maxContains: 1 },
    { type: "array" },
    "`minContains`, `maxContains`",
  ],
  "unevaluatedProperties beside a choice of several": [
    {
      ...object({ c: {} }, { unevaluatedProperties: false }),
      anyOf: [object({ a: text }), object({ b: number })],
    },
    { anyOf: [object({ a: text }), object({ b: number })] },
    "`unevaluatedProperties`",
  ],
  "a condition that it cannot express in full": [
    { not: { type: "object", propertyNames: { maxLength: 1 } } },
    {},
    "`not`",
  ],
  "a branch that it cannot express in full": [
    {
      oneOf: [
        { type: "object", propertyNames: { maxLength: 1 } },
        object({ "x-a": text }, { required: ["x-a"] }),
      ],
    },
    { anyOf: [{ type: "object" }, { type: "object" }] },
    "`oneOf`",
  ],
  "an if that it cannot express in full": [
    { ...object({ a: {} }), ...when({ propertyNames: { maxLength: 1 } }, { required: ["a"] }) },
    object({ a: {} }),
    "`if`",
  ],
};

describe("a schema of OpenAPI 3.1 that 3.0 cannot express", () => {
  it.each(Object.entries(LOST))(
    "is described by a note, and refuses nothing more: %s",
    async (_name, [schema, in30, note]) => {
      const { v30, verdicts } = await verdictsOf(schema);
      const row = v30.components.schemas.Row;
      expect(row).toMatchObject(in30);
      expect(row?.description).toMatch(/^OpenAPI 3.0 cannot express: .+\.$/);
      expect(row?.description).toContain(note);
      expect(verdicts.filter(({ source, by31 }) => source !== by31)).toEqual([]);
      expect(verdicts.filter(({ source, by30 }) => source && !by30)).toEqual([]);
      expect(verdicts.some(({ source, by30 }) => !source && by30)).toBe(true);
    },
  );

  it("keeps the description before the note", async () => {
    const schema = { description: "Names.", type: "object", propertyNames: { maxLength: 1 } };
    const { v30 } = await verdictsOf(schema);
    expect(v30.components.schemas.Row?.description).toMatch(/^Names\.\n\nOpenAPI 3.0 cannot express: /);
  });
});

describe("a document", () => {
  const response = {
    description: "A thing",
    content: { "application/json": { schema: { const: { const: 1 } }, example: { const: 1 } } },
  };
  const document = {
    info: {
      title: "Small",
      version: "1.0.0",
      summary: "In short",
      license: { name: "MIT", identifier: "MIT" },
    },
    paths: {
      "/change": {
        post: {
          operationId: "change",
          responses: { 200: { $ref: "#/components/responses/Thing", description: "Mine" } },
        },
      },
    },
    components: {
      schemas: {},
      responses: { Thing: response, Other: { $ref: "parts.yaml#/Refused" } },
      parameters: { Elsewhere: { $ref: "parts.yaml#/Elsewhere" } },
    },
  };
  const parts = {
    Elsewhere: { name: "x", in: "query", schema: { $ref: "#/Kind" }, example: "one" },
    Kind: { type: "string", enum: ["one"] },
    Refused: { description: "No", content: { "application/json": { schema: { $ref: "#/Kind" } } } },
  };

  async function written() {
    const spec = folderWith({ "small.openapi.yaml": openapi({ document }), "parts.yaml": parts });
    const output = await emit(spec);
    const read = (version: string) => parse(output.get(`spec/small.openapi-${version}.yaml`) ?? "");
    return { v31: read("3.1"), v30: read("3.0") };
  }

  it("includes parts of other files, schemas by their names", async () => {
    const { v31 } = await written();
    expect(v31.components.schemas).toEqual({ Kind: parts.Kind });
    expect(v31.components.parameters.Elsewhere).toEqual({
      ...parts.Elsewhere,
      schema: { $ref: "#/components/schemas/Kind" },
    });
    expect(v31.components.responses.Other.content).toEqual({
      "application/json": { schema: { $ref: "#/components/schemas/Kind" } },
    });
    expect(v31.info.summary).toBe("In short");
  });

  it("has the same content in 3.0, and keeps its examples", async () => {
    const { v30 } = await written();
    expect(v30.info).toEqual({
      title: "Small",
      version: "1.0.0",
      description: "In short",
      license: { name: "MIT", url: "https://spdx.org/licenses/MIT.html" },
    });
    expect(v30.components.responses.Thing.content["application/json"]).toEqual({
      schema: { enum: [{ const: 1 }] },
      example: { const: 1 },
    });
    expect(v30.paths["/change"].post.responses["200"]).toMatchObject({
      description: "Mine",
      content: {},
    });
  });
});
