import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compare } from "../../scripts/contract-diff/compare.ts";
import { instances } from "../../scripts/emit/overlap/instances.ts";
import type { Schema, SchemaObject } from "../../scripts/emit/schema.ts";
import {
  ASYNCAPI,
  ASYNCAPI_CHANGES,
  edited,
  OPENAPI,
  OPENAPI_CHANGES,
  SCHEMA_CHANGES,
  when,
} from "./contract-diff-changes.ts";
import { acceptor, brokenBy, expectedOf, FRESH, isSent, writeSides } from "./contract-diff-witnesses.ts";

const seed = Number(process.env.DOCUMENT_SEED ?? Date.now() % 1_000_000);
const numRuns = process.env.PROOFS === undefined ? 100 : 3000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "contract-diff-sound-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("contract:diff on one change of a schema", () => {
  it.each(SCHEMA_CHANGES)("names whom $what breaks", ({ before, after, refusedNow, refusedBefore }) => {
    for (const [value, sender, receiver] of [
      [refusedNow, before, after],
      [refusedBefore, after, before],
    ] as const) {
      if (value === undefined) continue;
      expect({ value, isSent: isSent(sender, value) }).toEqual({ value, isSent: true });
      expect({ value, isAccepted: acceptor(receiver)(value) }).toEqual({ value, isAccepted: false });
    }
    const expected = expectedOf(refusedNow !== undefined, refusedBefore !== undefined);
    expect(brokenBy(folder, before, after)).toEqual(expected);
  });
});

describe("contract:diff on one change of a document", () => {
  it.each([
    ...OPENAPI_CHANGES.map((row) => ({ ...row, file: "provider.openapi.yaml", document: OPENAPI })),
    ...ASYNCAPI_CHANGES.map((row) => ({ ...row, file: "events.asyncapi.yaml", document: ASYNCAPI })),
  ])("names whom $what breaks in $file", ({ file, document, before, after, platform, providers, kind }) => {
    const place = join(folder, "documents");
    rmSync(place, { recursive: true, force: true });
    writeSides(place, file, edited(document, before), edited(document, after));
    const changes = compare(place).flatMap((each) => each.changes);
    const broken = [...new Set(changes.flatMap(({ breaks }) => breaks))].sort();
    expect(broken).toEqual([...(platform ? ["platform"] : []), ...(providers ? ["providers"] : [])]);
    expect(changes.length).toBeGreaterThan(0);
    if (kind !== undefined) expect(changes).toMatchObject([{ kind }]);
  });
});

const NAMES = ["a", "b", "c"];
const name = fc.constantFrom(...NAMES);
const small = fc.integer({ min: 0, max: 3 });

/** Keywords of all kinds, with values that often meet. */
const { schema } = fc.letrec<{ schema: Schema; object: SchemaObject }>((tie) => {
  const below = tie("schema");
  const list = fc.array(below, { minLength: 1, maxLength: 2 });
  const keyword = fc.oneof(
    fc.record({ type: fc.constantFrom("string", "integer", "number", "boolean", "null", "object", "array") }),
    fc.record({ type: fc.subarray(["string", "integer", "null", "object", "array"], { minLength: 1 }) }),
    fc.record({ type: fc.constant("object"), properties: fc.dictionary(name, below, { maxKeys: 3 }) }),
    fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(name, below),
      additionalProperties: fc.constant(false),
    }),
    fc.record({ type: fc.constant("array"), items: below }),
    fc.record({
      enum: fc.uniqueArray(fc.constantFrom(1, 2, "a", "b", null, true), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ const: fc.constantFrom(1, "a", null) }),
    fc.record({ required: fc.uniqueArray(name, { maxLength: 2 }) }),
    fc.record({ properties: fc.dictionary(name, below, { maxKeys: 2 }) }),
    fc.record({ additionalProperties: below }),
    fc.record({ patternProperties: fc.dictionary(fc.constantFrom("^a", "^[bz]"), below, { maxKeys: 1 }) }),
    fc.record({
      propertyNames: fc.constantFrom<Schema>({ maxLength: 1 }, { enum: ["a", "b"] }, { pattern: "^a" }),
    }),
    fc.record({ dependentRequired: fc.dictionary(name, fc.array(name, { maxLength: 1 }), { maxKeys: 1 }) }),
    fc.record({ dependentSchemas: fc.dictionary(name, below, { maxKeys: 1 }) }),
    fc.record({ unevaluatedProperties: fc.constant(false) }),
    fc.record({ minimum: small }),
    fc.record({ exclusiveMaximum: small }),
    fc.record({ multipleOf: fc.constantFrom(1, 2, 0.5) }),
    fc.record({ minLength: small }),
    fc.record({ maxLength: small }),
    fc.record({ pattern: fc.constantFrom("^a", "^b?$") }),
    fc.record({ format: fc.constantFrom("date", "date-time", "local-date-time", "uri", "uri-reference") }),
    fc.record({ minItems: small }),
    fc.record({ maxItems: small }),
    fc.record({ uniqueItems: fc.boolean() }),
    fc.record({ prefixItems: list }),
    fc.record({ contains: below, minContains: small, maxContains: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ minProperties: small }),
    fc.record({ maxProperties: small }),
    fc.record({ allOf: list }),
    fc.record({ anyOf: list }),
    fc.record({ oneOf: list }),
    fc.record({ not: below }),
    fc
      .tuple(below, below, below)
      .map(([condition, consequence, otherwise]) => when(condition, consequence, otherwise)),
  );
  const object = fc
    .array(keyword, { minLength: 1, maxLength: 3 })
    .map((parts) => Object.assign({}, ...parts));
  return {
    schema: fc.oneof(
      { maxDepth: 2, depthSize: "small" },
      fc.constantFrom<Schema>({ type: "string" }, { type: "integer" }, {}, true, false),
      object,
    ),
    object,
  };
});

interface Change {
  readonly at: number;
  readonly by: Schema;
  readonly keyword: number;
  readonly way: "replace" | "drop" | "take";
}

const change = fc.record<Change>({
  at: fc.nat(30),
  by: schema,
  keyword: fc.nat(5),
  way: fc.constantFrom("replace", "drop", "take"),
});

/** Returns a copy with one of its schemas replaced, without one of its keywords, or with one of another schema's. */
function changed(whole: Schema, { at, by, keyword, way }: Change): Schema {
  const copy: Record<string, unknown> = structuredClone({ whole });
  const places = placesIn(copy, "whole");
  const [holder, key] = places[at % places.length] ?? [copy, "whole"];
  const target = holder[key] as Schema;
  if (way === "replace" || typeof target === "boolean") holder[key] = by;
  else if (way === "drop")
    delete target[Object.keys(target)[keyword % Math.max(1, Object.keys(target).length)] ?? ""];
  else if (typeof by === "object") {
    const [taken, value] = Object.entries(by)[keyword % Math.max(1, Object.keys(by).length)] ?? [];
    if (taken !== undefined) target[taken] = value;
  }
  return copy.whole as Schema;
}

type Place = [holder: Record<string, unknown>, key: string];

function placesIn(holder: Record<string, unknown>, key: string): Place[] {
  const schema = holder[key] as Schema;
  if (typeof schema !== "object" || schema === null) return [[holder, key]];
  const below = Object.entries(schema).flatMap(([keyword, value]): Place[] => {
    if (/^(items|additionalProperties|contains|not|if|then|else)$/.test(keyword))
      return placesIn(schema, keyword);
    if (/^(properties|patternProperties|dependentSchemas|prefixItems|allOf|anyOf|oneOf)$/.test(keyword))
      return Object.keys(value as object).flatMap((each) => placesIn(value as Record<string, unknown>, each));
    return [];
  });
  return [[holder, key], ...below];
}

const ODD = [
  null,
  true,
  0,
  1,
  2,
  3.5,
  -1,
  "",
  "a",
  "b",
  "aaaa",
  "2024-02-29",
  "/x",
  "2024-02-29T12:00",
  [],
  [1],
  [1, 1],
  ["a", null],
  {},
];

/** Returns values that one of the schemas may accept: made from it, or such a value with one member changed. */
function valuesFor(schemas: readonly Schema[]): unknown[] {
  const made = schemas.flatMap((each) => [...take(instances([each], {}), 25)]);
  const objects = [
    {},
    ...made.filter((value) => typeof value === "object" && value !== null && !Array.isArray(value)),
  ];
  const members = objects.slice(0, 12).flatMap((value) =>
    [...NAMES, FRESH].flatMap((key) => {
      const { [key]: _, ...rest } = value as Record<string, unknown>;
      return [rest, ...[1, "a", null, {}, { a: 1 }, [1]].map((each) => ({ ...rest, [key]: each }))];
    }),
  );
  return [...ODD, ...made, ...made.slice(0, 10).map((value) => [value, value]), ...members];
}

function* take<T>(values: Iterable<T>, count: number): Generator<T> {
  let taken = 0;
  for (const value of values) {
    if (taken++ >= count) return;
    yield value;
  }
}

const isWithin = (few: string, many: string) =>
  few.split(",").every((party) => party === "" || many.includes(party));

describe("contract:diff on random schemas", () => {
  it(`names the side that meets a value which the other refuses (seed ${seed})`, () => {
    let witnesses = 0;
    fc.assert(
      fc.property(schema, fc.array(change, { minLength: 1, maxLength: 2 }), (before, changes) => {
        const after = changes.reduce(changed, before);
        const [old, now] = [acceptor(before), acceptor(after)];
        const values = valuesFor([before, after]);
        const refusedNow = values.find((value) => !now(value) && old(value) && isSent(before, value));
        const refusedBefore = values.find((value) => !old(value) && now(value) && isSent(after, value));
        if (refusedNow === undefined && refusedBefore === undefined) return;
        witnesses++;
        const expected = expectedOf(refusedNow !== undefined, refusedBefore !== undefined);
        const found = brokenBy(folder, before, after);
        for (const use of ["in", "out", "event", "reply"] as const) {
          const shown = JSON.stringify({ use, before, after, refusedNow, refusedBefore, found: found[use] });
          expect(isWithin(expected[use], found[use]), shown).toBe(true);
        }
      }),
      { seed, numRuns },
    );
    expect(witnesses).toBeGreaterThan(numRuns / 10);
  });
});
