import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compiler } from "../../scripts/emit/ajv/compile.ts";
import { FORMATS } from "../../scripts/emit/formats.ts";
import type { Schema } from "../../scripts/emit/schema.ts";
import { validator } from "../../src/runtime/validator.ts";
import { BOOK, compiled, generateLibrary, type Library } from "./library.ts";

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}
const digits = (value: number, length: number) => String(value).padStart(length, "0");

describe("formats", () => {
  const date = fc.record({ year: fc.nat(9999), month: fc.nat(13), day: fc.nat(32) });

  it("know every day of every month of every year", () => {
    fc.assert(
      fc.property(date, ({ year, month, day }) => {
        const real = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
        const text = `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
        expect(FORMATS.date?.test(text)).toBe(real);
        expect(FORMATS["date-time"]?.test(`${text}T00:00:00Z`)).toBe(real);
      }),
      { numRuns: 2000 },
    );
  });

  it("accept the instants that JavaScript writes", () => {
    const instant = fc.date({
      min: new Date("0000-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    });
    fc.assert(fc.property(instant, (each) => FORMATS["date-time"]?.test(each.toISOString()) === true));
    fc.assert(fc.property(fc.uuid(), (each) => FORMATS.uuid?.test(each) === true));
  });

  it.each([
    ["date-time", "2024-02-29T23:59:59.123456+14:00", true],
    ["date-time", "2024-02-29t23:59:59z", true],
    ["date-time", "2000-02-29T00:00:00Z", true],
    ["date-time", "1900-02-29T00:00:00Z", false],
    ["date-time", "2023-02-29T00:00:00Z", false],
    ["date-time", "2024-04-31T00:00:00Z", false],
    ["date-time", "2024-01-01T24:00:00Z", false],
    ["date-time", "2024-01-01T23:59:60Z", false],
    ["date-time", "2024-01-01T00:00:00", false],
    ["date-time", "2024-01-01T00:00:00+0100", false],
    ["date-time", "2024-01-01 00:00:00Z", false],
    ["date-time", "2024-01-01T00:00Z", false],
    ["date-time", "2024-01-01T00:00:00Z\n", false],
    ["local-date-time", "2024-01-01T00:00:00", true],
    ["local-date-time", "2024-01-01T00:00:00+01:00", true],
    ["local-date-time", "2024-02-30T00:00:00", false],
    ["local-date-time", "2024-01-01T22:00+01:00", true],
    ["local-date-time", "2024-01-01T22:00:00,5+0100", true],
    ["local-date-time", "2024-01-01T24:00", true],
    ["local-date-time", "20240101T220000Z", true],
    ["local-date-time", "2024-01-01 22:00", false],
    ["local-date-time", "2024-01-01T22", true],
    ["local-date-time", "2024-01-01T2200", true],
    ["local-date-time", "2024-01-01T25", false],
    ["local-date-time", "01/01/2024 22:00", false],
    ["date", "2024-2-1", false],
    ["uuid", "3F0C9A52-7F0E-4B0C-9A53-0D8F4F0F2A11", true],
    ["uuid", "{3f0c9a52-7f0e-4b0c-9a53-0d8f4f0f2a11}", false],
    ["uuid", "3f0c9a527f0e4b0c9a530d8f4f0f2a11", false],
    ["email", "a.b+c@example.co.uk", true],
    ["email", "a@localhost", false],
    ["email", "a..b@example.org", false],
    ["email", "a@example..org", false],
    ["email", "a b@example.org", false],
    ["uri", "https://example.org/a?b=c#d", true],
    ["uri", "urn:isbn:9780140328721", true],
    ["uri", "/relative", false],
    ["uri", "https://example.org/a b", false],
    ["uri-reference", "about:blank", true],
    ["uri-reference", "/problems/x", true],
    ["uri-reference", "a\\b", false],
    ["iri", "https://example.org/å?b=ö#😀", true],
    ["iri", "/å", false],
    ["iri-reference", "/å", true],
    ["iri-reference", "å b", false],
    ["time", "23:59:59.5+01:00", true],
    ["time", "23:59:59", false],
    ["time", "24:00:00Z", false],
    ["duration", "P1Y2M3DT4H5M6S", true],
    ["duration", "P2W", true],
    ["duration", "PT36H", true],
    ["duration", "P", false],
    ["duration", "P1DT", false],
    ["duration", "P1Y3D", false],
    ["duration", "P1W2D", false],
    ["duration", "PT1H1S", false],
    ["ipv4", "192.168.0.255", true],
    ["ipv4", "256.0.0.1", false],
    ["ipv4", "01.0.0.1", false],
    ["ipv4", "1.2.3", false],
    ["ipv6", "::", true],
    ["ipv6", "::1", true],
    ["ipv6", "1::", true],
    ["ipv6", "1:2:3:4:5:6:7:8", true],
    ["ipv6", "1:2:3:4:5:6:7::", true],
    ["ipv6", "1::3:4:5:6:7:8", true],
    ["ipv6", "::ffff:192.168.0.1", true],
    ["ipv6", "1:2:3:4:5:6:7", false],
    ["ipv6", "1::2::3", false],
    ["ipv6", "12345::", false],
    ["ipv6", "1:2:3:4:5:6:7:8:9", false],
    ["ipv6", "1:2:3:4:5:6:7:1.2.3.4", false],
    ["hostname", "a-b.example", true],
    ["hostname", "-a.example", false],
    ["hostname", "a..b", false],
    ["hostname", "a".repeat(64), false],
    ["json-pointer", "", true],
    ["json-pointer", "/a~1b/~0/", true],
    ["json-pointer", "a", false],
    ["json-pointer", "/~2", false],
    ["relative-json-pointer", "1/a", true],
    ["relative-json-pointer", "0#", true],
    ["relative-json-pointer", "/a", false],
    ["relative-json-pointer", "01/a", false],
  ])("%s %s: %s", (format, text, valid) => {
    expect(FORMATS[format]?.test(text)).toBe(valid);
  });

  it("do not slow down on long hostile texts", () => {
    for (const text of [`${"a.".repeat(50_000)}@`, `a@${"a-".repeat(50_000)}`, "%".repeat(100_000)]) {
      for (const format of Object.values(FORMATS)) expect(format.test(`${text}\\`)).toBe(false);
    }
  });
});

describe("errorsOf", () => {
  let library: Library;
  beforeAll(async () => {
    library = await generateLibrary();
  });
  afterAll(() => library.remove());

  it("is empty exactly for the accepted values", () => {
    const book = fc.record(
      {
        bookId: fc.constantFrom(BOOK.bookId, "x"),
        title: fc.string({ maxLength: 3 }),
        pages: fc.integer(),
        minutes: fc.integer(),
        format: fc.constantFrom("mp3", "lp"),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(book, fc.jsonValue()), (value) => {
        expect(library.schemas.Book?.errorsOf(value).length === 0).toBe(library.schemas.Book?.(value));
      }),
    );
  });

  it("reports only the nearest branch of a oneOf", () => {
    expect(library.schemas.Book?.errorsOf({ ...BOOK, pages: 0 })).toEqual([
      { pointer: "/pages", message: "must be at least 1" },
    ]);
    expect(library.schemas.Book?.errorsOf({ bookId: BOOK.bookId, title: "", minutes: 3 })).toEqual([
      { pointer: "/title", message: "must have at least 1 character" },
    ]);
  });

  it("follows lists and escapes names in pointers", async () => {
    const item = {
      type: "object",
      properties: { "a/b~c": { type: "string" }, "x/y": {} },
      required: ["x/y"],
    };
    const { List } = await compiled({ List: { type: "array", items: item } });
    expect(List?.errorsOf([{ "x/y": 1 }, { "a/b~c": 1 }])).toEqual([
      { pointer: "/1/x~1y", message: "is missing" },
      { pointer: "/1/a~1b~0c", message: "must be of type string" },
    ]);
  });

  it("names the alternatives when one of several members is missing, and the members that all need", async () => {
    const { Any, Tagged } = await compiled({
      Any: { type: "object", anyOf: [{ required: ["a"] }, { required: ["b", "c"] }] },
      Tagged: {
        oneOf: ["x", "y"].map((tag) => ({
          type: "object",
          required: ["tag", tag],
          properties: { tag: { const: tag }, [tag]: {} },
        })),
      },
    });
    expect(Any?.errorsOf({})).toEqual([{ pointer: "", message: "must have a, or b and c" }]);
    expect(Tagged?.errorsOf({})).toEqual([
      { pointer: "/tag", message: "is missing" },
      { pointer: "", message: "must have x, or y" },
    ]);
    expect(Tagged?.errorsOf({ x: 1 })).toEqual([{ pointer: "/tag", message: "is missing" }]);
  });

  it("chooses the branch by its tag, through references and branches within branches", async () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const tagged = (tag: string, value: object) => ({
      type: "object",
      required: ["tag", "value"],
      properties: { tag: { const: tag }, value },
    });
    const { Outer } = await compiled({
      Small: tagged("small", { type: "integer", maximum: 9 }),
      Word: tagged("word", {
        oneOf: [
          { type: "string", minLength: 3 },
          { type: "array", items: { type: "string" } },
        ],
      }),
      Outer: {
        type: "object",
        properties: { first: { type: "string" }, inner: { oneOf: [ref("Small"), ref("Word")] } },
      },
    });
    expect(Outer?.errorsOf({ first: 1, inner: { tag: "word", value: ["a", 2] } })).toEqual([
      { pointer: "/first", message: "must be of type string" },
      { pointer: "/inner/value/1", message: "must be of type string" },
    ]);
    expect(Outer?.errorsOf({ inner: { tag: "small", value: 10 } })).toEqual([
      { pointer: "/inner/value", message: "must be at most 9" },
    ]);
  });

  it("covers the vocabulary of 2020-12", async () => {
    const { Rich } = await compiled({
      Rich: {
        type: "object",
        properties: {
          n: { multipleOf: 2 },
          u: { uniqueItems: true },
          c: { contains: { const: 1 } },
          p: { prefixItems: [{ type: "string" }] },
        },
        dependentRequired: { n: ["u"] },
        if: { required: ["c"] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ["p"] },
        unevaluatedProperties: false,
      },
    });
    const errors = Rich?.errorsOf({ n: 3, c: [2], extra: "secret" }) ?? [];
    const pointers = errors.map(({ pointer }) => pointer);
    expect(pointers).toEqual(expect.arrayContaining(["/n", "/c", "/p", "/u", "/extra"]));
    expect(JSON.stringify(errors)).not.toContain("secret");
    expect(Rich?.({ c: [1], p: ["a"] })).toBe(true);
  });

  it("counts members beside a `not` that accepts nothing", async () => {
    const { Odd } = await compiled({
      Odd: {
        dependentSchemas: {
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          a: { if: { type: "string" }, then: { unevaluatedProperties: false }, not: {} },
        },
      },
    });
    expect(["x", {}, { b: 1 }, { a: 1 }].map((value) => Odd?.(value))).toEqual([true, true, true, false]);
  });

  it("counts members by pattern beside a branch that may not hold", async () => {
    const { Odd } = await compiled({
      Odd: {
        anyOf: [{ maxProperties: 1 }, { minProperties: 5, unevaluatedProperties: false }],
        patternProperties: { "^a": { anyOf: [{ type: "string" }] } },
        unevaluatedProperties: false,
      },
    });
    expect([{ a: "x" }, { a: 1 }, { b: "x" }].map((value) => Odd?.(value))).toEqual([true, false, false]);
  });

  it("never repeats a value", () => {
    const secret = fc.string({ minLength: 12 });
    fc.assert(
      fc.property(secret, secret, (title, tag) => {
        const texts = JSON.stringify(
          library.schemas.Book?.errorsOf({ bookId: title, title: [title], pages: tag, minutes: tag }),
        );
        expect(texts).not.toContain(JSON.stringify(title).slice(1, -1));
        expect(texts).not.toContain(JSON.stringify(tag).slice(1, -1));
      }),
    );
  });

  it("covers the messages of a document of events", () => {
    const lent = { event: "book.lent", bookId: BOOK.bookId, until: "2024-02-30" };
    expect(library.events.Lent?.errorsOf(lent)).toEqual([
      { pointer: "/until", message: "must be a valid date" },
    ]);
    expect(library.messages["book.lent"]).toEqual({
      title: "Book lent",
      summary: "A reader borrowed a book.",
      schema: "Lent",
      channels: ["/changes"],
    });
  });
});

describe("the fast and the full form", () => {
  it("have one verdict on any value of any schema", () => {
    const { schema } = fc.letrec<{ schema: Schema }>((tie) => {
      const below = tie("schema");
      const parts = fc.array(below, { minLength: 1, maxLength: 2 });
      const members = fc.record({ a: below, b: below }, { requiredKeys: [] });
      // Few keywords at a time: a schema of many accepts hardly any value.
      const keywords: fc.Arbitrary<object>[] = [
        ...["allOf", "anyOf", "oneOf", "prefixItems"].map((name) => parts.map((list) => ({ [name]: list }))),
        ...["properties", "dependentSchemas"].map((name) => members.map((map) => ({ [name]: map }))),
        ...["not", "items", "contains", "additionalProperties"].map((name) =>
          below.map((each) => ({ [name]: each })),
        ),
        ...["unevaluatedItems", "unevaluatedProperties"].map((name) =>
          below.map((each) => ({ [name]: each })),
        ),
        members.map(({ a = true, b = true }) => ({ patternProperties: { "^a": a, "[bc]": b } })),
        fc.record({ if: below, [String("then")]: below, else: below }),
        fc.constantFrom({ required: ["a"] }, { unevaluatedProperties: false }, { uniqueItems: true }),
      ];
      const composed = fc
        .array(fc.oneof(...keywords), { minLength: 1, maxLength: 3 })
        .map((each) => Object.assign({}, ...each));
      const types = fc.constantFrom("string", "integer", "object", "array", "null").map((type) => ({ type }));
      const fixed = fc.constantFrom(true, false, { const: 1 }, { enum: ["a", null] }, { multipleOf: 0.5 });
      return { schema: fc.oneof({ maxDepth: 4 }, types, fixed, composed) };
    });
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom("a", "b", 1, 1.5, null, true),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 10 }), (Thing, values) => {
        const [fast, full] = (["fast", "full"] as const).map((form) =>
          compiler({ Thing }, form).getSchema("Thing"),
        );
        for (const each of values) expect(full?.(each)).toBe(fast?.(each));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a keyword without a message in the runtime", () => {
  it("is still an error", () => {
    const fast = Object.assign(() => false, {});
    const full = Object.assign(() => false, {
      errors: [{ instancePath: "/a", keyword: "newKeyword", params: {} }],
    });
    expect(validator(fast, full).errorsOf?.({})).toEqual([
      { pointer: "/a", message: "does not satisfy newKeyword" },
    ]);
  });
});
