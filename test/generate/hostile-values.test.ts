import { describe, expect, it } from "vitest";
import { compiled } from "./library.ts";

/** decisions, "explanation of an invalid value". */
const [MOST_OF_LIST, MOST_OF_VALUE] = [50, 100];
const FURTHER = { pointer: "", message: "may have further errors, which are left out" };
const NAMES = ["toString", "constructor", "__proto__", "hasOwnProperty", "valueOf"];

/** Compiles the schemas in the first test that needs them. */
function once(schemas: object) {
  let loaded: ReturnType<typeof compiled> | undefined;
  return () => {
    loaded ??= compiled(schemas);
    return loaded;
  };
}

describe("equality", () => {
  const schemas = once({
    Enum: { enum: [{ a: [1, { b: null }], c: "x" }, "y"] },
    Const: { const: { a: 1, toString: "" } },
    Unique: { type: "array", uniqueItems: true },
  });

  it.each(NAMES)("compares members called %s without calling them", async (name) => {
    const { Enum, Const, Unique } = await schemas();
    const value = JSON.parse(`{"${name}": ""}`);
    expect(Enum?.(value)).toBe(false);
    expect(Const?.(value)).toBe(false);
    expect(Const?.errorsOf(value)).toHaveLength(1);
    expect(Unique?.([value, {}, [value]])).toBe(true);
    expect(Unique?.([value, JSON.parse(`{"${name}": ""}`)])).toBe(false);
    expect(Unique?.([name, "other"])).toBe(true);
    expect(Unique?.([name, name])).toBe(false);
  });

  it.each([
    [[1, "1", true, null, "null", [], {}, ""], true],
    [[0, false, "", [0], [[0]], { a: 0 }], true],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    [[["a", "b"], ['a","b']], true],
    [[{ "a:1,b": 2 }, { a: 1, b: 2 }], true],
    [[1, 1.0], false],
    [[[{ a: [] }], [{ a: [] }]], false],
  ])("of %j as unique: %s", async (items, unique) => {
    const { Unique } = await schemas();
    expect(Unique?.(items)).toBe(unique);
    expect(Unique?.errorsOf(items).length).toBe(unique ? 0 : 1);
  });

  it("ignores the order of members, and reads the text of the schema", async () => {
    const { Enum, Const } = await schemas();
    expect(Enum?.({ c: "x", a: [1, { b: null }] })).toBe(true);
    expect(Enum?.("y")).toBe(true);
    expect(Const?.({ toString: "", a: 1 })).toBe(true);
  });

  it("reads items that are nested as deep as they are long", async () => {
    const { Unique } = await schemas();
    const deep = () => JSON.parse(`${"[".repeat(200_000)}${"]".repeat(200_000)}`);
    expect(Unique?.([deep(), 1])).toBe(true);
    expect(Unique?.([deep(), deep()])).toBe(false);
  });
});

describe("an explanation", () => {
  const text = { type: "string" };
  const list = (items: unknown, rest: object = {}) => ({ type: "array", items, ...rest });
  const schemas = once({
    List: { type: "object", properties: { id: {}, list: list(text), other: text }, required: ["id"] },
    Short: list(text, { maxItems: 3 }),
    Nested: list(list(text)),
    Closed: { type: "object", properties: { a: text }, additionalProperties: false },
    Wide: {
      type: "object",
      properties: Object.fromEntries([1, 2, 3, 4].map((each) => [`l${each}`, list(text)])),
    },
    Choice: { anyOf: [list({ const: "a" }), list({ const: "b" })] },
    Contains: { type: "array", contains: { const: "here" } },
    Tree: {
      type: "object",
      properties: { value: text, next: { $ref: "#/components/schemas/Tree" } },
    },
  });
  const many = (value: unknown, count = 200) => Array(count).fill(value);

  it("ends a list at its bound, mentions that there may be more, and includes the members beside it", async () => {
    const errors = (await schemas()).List?.errorsOf({ list: many(1), other: 1 }) ?? [];
    expect(errors).toHaveLength(MOST_OF_LIST + 3);
    expect(errors[0]).toEqual({ pointer: "/id", message: "is missing" });
    expect(errors[MOST_OF_LIST]?.pointer).toBe(`/list/${MOST_OF_LIST - 1}`);
    expect(errors.slice(-2)).toEqual([{ pointer: "/other", message: "must be of type string" }, FURTHER]);
  });

  it("mentions nothing when nothing is left out", async () => {
    const errors = (await schemas()).List?.errorsOf({ id: 1, list: many(1, MOST_OF_LIST) }) ?? [];
    expect(errors).toHaveLength(MOST_OF_LIST);
    expect(errors).not.toContainEqual(FURTHER);
  });

  it("reads no item of a list that is too long", async () => {
    expect((await schemas()).Short?.errorsOf(many(1))).toEqual([
      { pointer: "", message: "must have at most 3 items" },
    ]);
  });

  it.each([
    ["Nested", many(many(1))],
    ["Closed", Object.fromEntries(many("m").map((name, index) => [name + index, 1]))],
    ["Wide", { l1: many(1), l2: many(1), l3: many(1), l4: many(1) }],
    ["Tree", JSON.parse(`${'{"value":1,"next":'.repeat(300)}{}${"}".repeat(300)}`)],
    ["Choice", many("c")],
  ])("has a bound: %s", async (name, value) => {
    const errors = (await schemas())[name]?.errorsOf(value) ?? [];
    expect(errors.length).toBeGreaterThan(MOST_OF_LIST);
    expect(errors.length).toBeLessThanOrEqual(MOST_OF_VALUE + 1);
    expect(errors.at(-1)).toEqual(FURTHER);
  });

  it("is empty when a branch fits after one with many errors", async () => {
    expect((await schemas()).Choice?.errorsOf(many("b"))).toEqual([]);
  });

  it("is empty when an item matches after many that do not", async () => {
    const { Contains } = await schemas();
    expect(Contains?.errorsOf([...many(1), "here"])).toEqual([]);
    expect(Contains?.errorsOf(many(1))).toEqual([{ pointer: "", message: "does not satisfy contains" }]);
  });
});
