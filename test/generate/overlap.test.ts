import { describe, expect, it } from "vitest";
import { emit } from "../../scripts/emit/emit.ts";
import { folderWith, openapi } from "./workspace.ts";

const text = { type: "string" };
const number = { type: "number" };

/** Schemas named Choice that hold a `oneOf`, and the schemas that they refer to. */
async function overlapOf(schemas: object): Promise<string> {
  const spec = folderWith({ "small.openapi.yaml": openapi({ schemas }) });
  return emit(spec).then(
    () => "",
    (error: unknown) => String(error),
  );
}

const OVERLAPPING: Record<string, object> = {
  "two objects without a tag": {
    Choice: {
      oneOf: [
        { type: "object", properties: { a: text } },
        { type: "object", properties: { b: text } },
      ],
    },
  },
  "integer and number": { Choice: { oneOf: [{ type: "integer" }, { type: "number" }] } },
  "a nullable branch and null": { Choice: { oneOf: [{ type: ["string", "null"] }, { type: "null" }] } },
  "two enums with a common word": { Choice: { oneOf: [{ enum: ["a", "b"] }, { enum: ["b", "c"] }] } },
  "a forbidden member on one side only of two": {
    Choice: {
      oneOf: [
        { type: "object", required: ["a"], properties: { a: text, b: false } },
        { type: "object", required: ["a"], properties: { a: text, c: text } },
      ],
    },
  },
  "only when two optional members meet": {
    Choice: {
      oneOf: [
        { type: "object", properties: { a: text, b: text, c: text }, required: ["a"] },
        { type: "object", properties: { a: text, b: text, c: text }, required: ["b"] },
      ],
    },
  },
  "only in one value of a shared tag": {
    Choice: {
      oneOf: [
        { type: "object", required: ["tag"], properties: { tag: { enum: ["a", "b"] } } },
        { type: "object", required: ["tag"], properties: { tag: { enum: ["c", "b"] } } },
      ],
    },
  },
  "branches behind references and allOf": {
    Base: { type: "object", required: ["id"], properties: { id: { type: "string", format: "uuid" } } },
    One: { allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { n: number } }] },
    Two: { allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { n: { type: "integer" } } }] },
    Choice: { oneOf: [{ $ref: "#/components/schemas/One" }, { $ref: "#/components/schemas/Two" }] },
  },
  "patterns with a common text": {
    Choice: {
      oneOf: [
        { type: "string", pattern: "^[0-9]{4}$" },
        { type: "string", pattern: "^[0-9A-F]{4}$" },
      ],
    },
  },
  "arrays that may be empty": {
    Choice: {
      oneOf: [
        { type: "array", items: text },
        { type: "array", items: number },
      ],
    },
  },
  "a choice deep inside another schema": {
    Choice: {
      type: "object",
      properties: { list: { type: "array", items: { oneOf: [{ type: "string" }, { const: "a" }] } } },
    },
  },
};

const PARTITIONS: Record<string, object> = {
  tags: {
    Choice: {
      oneOf: [
        { type: "object", required: ["tag"], properties: { tag: { const: "a" } } },
        { type: "object", required: ["tag"], properties: { tag: { const: "b" } } },
      ],
    },
  },
  "one branch forbids a member that the other requires": {
    Choice: {
      oneOf: [
        { type: "object", properties: { a: text, b: false, c: false } },
        {
          type: "object",
          properties: { a: text, b: text, c: text },
          anyOf: [{ required: ["b"] }, { required: ["c"] }],
        },
      ],
    },
  },
  not: { Choice: { oneOf: [{ type: "string", not: { enum: ["a", "b"] } }, { enum: ["a", "b"] }] } },
  types: {
    Choice: { oneOf: [{ type: "string" }, { type: "integer" }, { type: "null" }, { type: "array" }] },
  },
  "patterns without a common text": {
    Choice: {
      oneOf: [
        { type: "string", pattern: "^[a-z]+$" },
        { type: "string", pattern: "^[0-9]+$" },
      ],
    },
  },
  "ranges side by side": {
    Choice: {
      oneOf: [
        { type: "number", maximum: 10 },
        { type: "number", exclusiveMinimum: 10 },
      ],
    },
  },
  "branches that only the enclosing schema separates": {
    Choice: {
      type: "object",
      properties: { kind: { enum: ["a", "b"] } },
      required: ["kind"],
      oneOf: [{ properties: { kind: { enum: ["a", "z"] } } }, { properties: { kind: { enum: ["b", "z"] } } }],
    },
  },
};

describe("overlapping branches of a oneOf", () => {
  it.each(Object.entries(OVERLAPPING))("are refused: %s", async (_name, schemas) => {
    const fault = await overlapOf(schemas);
    expect(fault).toMatch(/spec\/small\.openapi\.yaml:\d+:\d+ #\/components\/schemas\/Choice\S*\/oneOf\n/);
    expect(fault).toMatch(/both accept \S/);
  });

  it("are named, with the value that both accept", async () => {
    const fault = await overlapOf(OVERLAPPING["branches behind references and allOf"] ?? {});
    expect(fault).toContain(
      'the branches 0 (One) and 1 (Two) both accept {"id":"00000000-0000-4000-8000-000000000000"}',
    );
  });

  it.each(Object.entries(PARTITIONS))("are not reported in a partition: %s", async (_name, schemas) => {
    expect(await overlapOf(schemas)).toBe("");
  });

  it("are found in bodies and parameters without a name", async () => {
    const schema = { oneOf: [{ type: "integer" }, { type: "number" }] };
    const operation = {
      responses: { 200: { description: "", content: { "application/json": { schema } } } },
    };
    const spec = folderWith({ "small.openapi.yaml": openapi({ operation }) });
    await expect(emit(spec)).rejects.toThrow("/responses/200/content/application~1json/schema/oneOf");
  });
});
