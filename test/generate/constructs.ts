// biome-ignore-all lint/suspicious/noThenProperty: a keyword of JSON Schema

/** One form that a schema may have: values that it accepts, values that it refuses, and the type that it becomes. */
export interface Construct {
  readonly schema: unknown;
  readonly accepts: readonly unknown[];
  readonly refuses?: readonly unknown[];
  readonly type: string;
  /** Of the body that carries it; application/json by default. */
  readonly contentType?: string;
}

const ANY = "{ [key: string]: unknown }";
const object = (parts: object) => ({ type: "object", ...parts });
const text = { type: "string" };
const number = { type: "number" };

/** What works: it is run through the generator, the compiler, the client, the stub and the validator. */
export const WORKS: Readonly<Record<string, Construct>> = {
  "an object without a word about its members": {
    schema: object({}),
    accepts: [{}, { a: 1, b: { c: null } }],
    refuses: [[], "a"],
    type: ANY,
  },
  "an object that may be null": {
    schema: { type: ["object", "null"] },
    accepts: [{}, { a: 1 }],
    type: `${ANY} | null`,
  },
  "an object without members": {
    schema: object({ additionalProperties: false }),
    accepts: [{}],
    refuses: [{ a: 1 }],
    type: "Record<string, never>",
  },
  "members without a type": {
    schema: { properties: { a: text } },
    accepts: [{ a: "b" }, 5, null, "a", [1]],
    refuses: [{ a: 1 }],
    type: "{ a?: string } | string | number | boolean | null | unknown[]",
  },
  "members without a type beside a choice": {
    schema: object({ oneOf: [{ required: ["a"], properties: { a: text, b: false } }, { required: ["b"] }] }),
    accepts: [{ a: "b" }, { b: 1 }],
    refuses: [{}, { a: 1 }],
    type: ANY,
  },
  nothing: { schema: false, accepts: [], refuses: [1, {}, null], type: "never" },
  "a choice with nothing in it": {
    schema: { anyOf: [false, text] },
    accepts: ["a"],
    refuses: [1],
    type: "string",
  },
  "a number that JSON cannot write": {
    schema: number,
    accepts: [1.5, 1e300],
    refuses: [Number.POSITIVE_INFINITY],
    type: "number",
  },
  "an example with a reference in it, and a constant": {
    schema: object({
      properties: { a: { const: { $ref: "none.yaml#/a" } } },
      example: { a: { $ref: "none.yaml#/a" } },
      default: { a: { $ref: "none.yaml#/a" } },
    }),
    accepts: [{ a: { $ref: "none.yaml#/a" } }],
    refuses: [{ a: {} }],
    type: '{ a?: { $ref: "none.yaml#/a" } }',
  },
  "additional members of a type": {
    schema: object({ additionalProperties: number }),
    accepts: [{}, { a: 1 }],
    refuses: [{ a: "1" }],
    type: "{ [key: string]: number }",
  },
  "additional members of a type beside others": {
    schema: object({ properties: { a: text }, additionalProperties: number }),
    accepts: [{ a: "1", b: 2 }, { b: 2 }],
    refuses: [{ a: 1 }, { b: "2" }],
    type: "{ a?: string } & { [key: string]: unknown }",
  },
  "members by a pattern of their names": {
    schema: object({ patternProperties: { "^n": number } }),
    accepts: [{ n1: 1, other: "a" }],
    refuses: [{ n1: "1" }],
    type: ANY,
  },
  "members by a pattern, and no others": {
    schema: object({ patternProperties: { "^n": number }, additionalProperties: false }),
    accepts: [{ n1: 1 }, {}],
    refuses: [{ other: "a" }],
    type: "{ [key: string]: number }",
  },
  "a condition on an object": {
    schema: object({ if: { required: ["a"] }, then: { required: ["b"] } }),
    accepts: [{}, { a: 1, b: 2 }],
    refuses: [{ a: 1 }],
    type: ANY,
  },
  "a null constant": { schema: { const: null }, accepts: [], refuses: [1, "null"], type: "null" },
  "a member that is null": {
    schema: object({ required: ["a"], properties: { a: { const: null } } }),
    accepts: [{ a: null }],
    refuses: [{}, { a: 0 }],
    type: "{ a: null }",
  },
  "an enum with null": {
    schema: object({ properties: { a: { type: ["string", "null"], enum: ["x", null] } } }),
    accepts: [{ a: "x" }, { a: null }],
    refuses: [{ a: "y" }],
    type: '{ a?: "x" | null }',
  },
  "an enum of several types": {
    schema: { enum: [1, "1", true] },
    accepts: [1, "1", true],
    refuses: [2, false],
    type: '1 | "1" | true',
  },
  "items by their place": {
    schema: { type: "array", prefixItems: [text, number] },
    accepts: [[], ["a"], ["a", 1, true]],
    refuses: [[1]],
    type: "unknown[]",
  },
  "items by their place, and no others": {
    schema: { type: "array", prefixItems: [text, number], items: false },
    accepts: [[], ["a"], ["a", 1]],
    refuses: [["a", 1, 2]],
    type: "(string | number)[]",
  },
  "items by their place, as many as there are places": {
    schema: { type: "array", prefixItems: [text, number], items: false, minItems: 2 },
    accepts: [["a", 1]],
    refuses: [["a"], ["a", 1, 2]],
    type: "[string, number]",
  },
  hundredths: {
    schema: { type: "number", multipleOf: 0.01 },
    accepts: [19.99, 0, -0.01, 1e300, 4.35],
    refuses: [19.995, 0.001, 1e-300],
    type: "number",
  },
  "an integer": {
    schema: { type: "integer" },
    accepts: [0, -1, 9007199254740991, -9007199254740991],
    refuses: [1.5, 9007199254740992, 1e300],
    type: "number",
  },
  "members with the names of JavaScript's own types": {
    schema: object({ properties: { Array: number, Object: text, length: number, then: text } }),
    accepts: [{ Array: 1, Object: "a", length: 2, then: "b" }],
    refuses: [{ length: "1" }],
    type: "{ Array?: number; Object?: string; length?: number; then?: string }",
  },
  "a condition without a branch": {
    schema: object({ properties: { a: text }, if: { required: ["a"] } }),
    accepts: [{}, { a: "b" }],
    refuses: [{ a: 1 }],
    type: "{ a?: string }",
  },
  "no other members than those of a condition": {
    schema: object({
      if: { required: ["b"], properties: { b: number } },
      then: { properties: { c: text } },
      unevaluatedProperties: false,
    }),
    accepts: [{}, { b: 1, c: "y" }],
    refuses: [{ c: "y" }, { b: "1" }, { b: 1, d: 1 }],
    type: ANY,
  },
  "no item of a kind is needed": {
    schema: { type: "array", contains: text, minContains: 0, maxContains: 1 },
    accepts: [[], [1], ["a", 1]],
    refuses: [["a", "b"]],
    type: "unknown[]",
  },
  "a schema in its own definitions, and anything beside": {
    schema: { allOf: [true, { $ref: "#/components/schemas/Defined/$defs/part" }] },
    accepts: ["a"],
    refuses: [1],
    type: "string",
  },
  "a patch": {
    contentType: "application/merge-patch+json",
    schema: object({ properties: { a: { type: ["string", "null"] } } }),
    accepts: [{}, { a: null }],
    refuses: [{ a: 1 }],
    type: "{ a?: string | null }",
  },
  "a media type of a vendor": {
    contentType: "application/vnd.example.v1+json",
    schema: object({ properties: { a: text } }),
    accepts: [{ a: "b" }],
    refuses: [{ a: 1 }],
    type: "{ a?: string }",
  },
};
