import { sample, stringMatching } from "fast-check";
import { isMultiple } from "../../../src/runtime/multiple.ts";
import { FORMATS } from "../formats.ts";
import {
  isSchema,
  type NamedSchemas,
  referredName,
  type Schema,
  type SchemaObject,
  typeOf,
} from "../schema.ts";

const MAX_DEPTH = 6;
/** The number of values to try for one member of an object or array. */
const MAX_MEMBER_VALUES = 6;

/**
 * Returns values that are likely to satisfy all of `schemas`, in a fixed order. Not all do: the validators check what a
 * construction cannot (`not`, several patterns).
 */
export function* instances(schemas: readonly Schema[], named: NamedSchemas, depth = 0): Generator<unknown> {
  for (const conjunction of conjunctions(schemas, named)) {
    yield* conjunctionInstances(conjunction, named, depth);
  }
}

function* conjunctionInstances(
  conjunction: Conjunction,
  named: NamedSchemas,
  depth: number,
): Generator<unknown> {
  const values = enumerated(conjunction);
  if (values !== undefined) {
    yield* values;
    return;
  }
  if (fits({}, conjunction)) yield* objects(conjunction, named, depth);
  if (fits([], conjunction)) yield* arrays(conjunction, named, depth);
  yield* scalars(conjunction);
}

function* objects(conjunction: Conjunction, named: NamedSchemas, depth: number): Generator<unknown> {
  const required = [...new Set(conjunction.flatMap((schema) => schema.required ?? []))];
  const values = memberValues(required, conjunction, named, depth);
  if (required.some((name) => !values.has(name))) return;
  const optional = [...values.keys()].filter((name) => !required.includes(name));
  for (const names of memberChoices(required, depth < 2 ? optional : [], optional)) {
    const base = Object.fromEntries(names.map((name) => [name, values.get(name)?.[0]]));
    yield base;
    for (const name of names) {
      for (const value of values.get(name)?.slice(1) ?? []) yield { ...base, [name]: value };
    }
  }
}

/** Returns the required members alone, with each optional one, with all, and with each two. */
function* memberChoices(required: readonly string[], single: readonly string[], all: readonly string[]) {
  yield [...required];
  yield [...required, ...all];
  for (const name of single) yield [...required, name];
  for (const [index, first] of single.entries()) {
    for (const second of single.slice(index + 1)) yield [...required, first, second];
  }
}

/** Returns the values to try for each possible member. */
function memberValues(
  required: readonly string[],
  conjunction: Conjunction,
  named: NamedSchemas,
  depth: number,
): ReadonlyMap<string, readonly unknown[]> {
  const names = new Set([
    ...required,
    ...conjunction.flatMap((schema) => Object.keys(schema.properties ?? {})),
  ]);
  const found = [...names].map((name): [string, unknown[]] => [
    name,
    valuesFor(memberSchemas(conjunction, name), named, depth),
  ]);
  return new Map(found.filter(([, values]) => values.length > 0));
}

function memberSchemas(conjunction: Conjunction, name: string): Schema[] {
  return conjunction.flatMap(({ properties = {}, additionalProperties }) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (own !== undefined) return [own];
    return isSchema(additionalProperties) ? [additionalProperties] : [];
  });
}

function* arrays(conjunction: Conjunction, named: NamedSchemas, depth: number): Generator<unknown> {
  const items = conjunction.flatMap((schema) => (schema.items === undefined ? [] : [schema.items]));
  const least = Math.max(0, ...conjunction.map(({ minItems }) => Number(minItems ?? 0)));
  if (least === 0) yield [];
  const values = valuesFor(items, named, depth);
  for (const value of values) yield Array.from({ length: Math.max(1, least) }, () => value);
  if (values.length > 1) yield values.slice(0, Math.max(2, least));
}

function valuesFor(schemas: readonly Schema[], named: NamedSchemas, depth: number): unknown[] {
  const found: unknown[] = [];
  if (depth >= MAX_DEPTH) return found;
  for (const value of instances(schemas, named, depth + 1)) {
    if (found.push(value) === MAX_MEMBER_VALUES) break;
  }
  return found;
}

/** Enough for the nested branches in the project's documents; more would only repeat the same members. */
const MAX_VARIANTS = 48;
const MAX_DEPTH_OF_CHOICES = 12;

/**
 * Returns the ways in which a value can satisfy all of `schemas`. References are followed, `allOf` is split, and each
 * choice of a branch of `anyOf`, `oneOf` or `if` makes a separate conjunction. Empty when no value can.
 */
function conjunctions(schemas: readonly Schema[], named: NamedSchemas, depth = 0): Conjunction[] {
  return schemas.map((schema) => schemaVariants(schema, named, depth)).reduce(combined, [[]]);
}

function schemaVariants(schema: Schema, named: NamedSchemas, depth: number): Conjunction[] {
  if (schema === true || depth > MAX_DEPTH_OF_CHOICES) return [[]];
  if (schema === false) return [];
  const { $ref, allOf = [], anyOf, oneOf, if: _if, then, else: otherwise, ...own } = schema;
  const referred = $ref === undefined ? [] : [named[referredName($ref) ?? ""] ?? true];
  const base = conjunctions([...referred, ...allOf], named, depth + 1).map((each) => [...each, own]);
  const conditional = [then, otherwise].filter((each) => each !== undefined);
  const choices = [anyOf, oneOf, conditional.length > 0 ? [true, ...conditional] : undefined];
  return choices
    .filter((branches) => branches !== undefined)
    .map((branches) => branches.flatMap((branch) => schemaVariants(branch, named, depth + 1)))
    .reduce(combined, base);
}

/** Returns each of one side together with each of the other. */
function combined(left: readonly Conjunction[], right: readonly Conjunction[]): Conjunction[] {
  return left.flatMap((one) => right.map((other) => [...one, ...other])).slice(0, MAX_VARIANTS);
}

/** Schemas that a value must satisfy together; none has references or branches. */
export type Conjunction = readonly SchemaObject[];

type Scalar = string | number | boolean | null;

/** One value that each format accepts. */
const OF_FORMAT: Readonly<Record<string, string>> = {
  "date-time": "2024-02-29T12:00:00Z",
  "local-date-time": "2024-02-29T12:00:00",
  date: "2024-02-29",
  uuid: "00000000-0000-4000-8000-000000000000",
  email: "a@example.org",
  uri: "https://example.org/",
  "uri-reference": "/a",
  time: "12:00:00Z",
  duration: "P1D",
  ipv4: "127.0.0.1",
  ipv6: "::1",
  hostname: "example.org",
  "json-pointer": "/a",
  "relative-json-pointer": "1/a",
};
const TEXTS = ["a", "A", "1", "", "text", "2024-02-29T12:00:00Z", ...Object.values(OF_FORMAT)];
const PATTERN_SAMPLES = 5;

/** Returns scalar values that satisfy every scalar keyword of the conjunction; a few of each allowed type. */
function scalars(conjunction: Conjunction): Scalar[] {
  const examples = conjunction.flatMap((schema) => (Array.isArray(schema.examples) ? schema.examples : []));
  const made = [...strings(conjunction), ...numbers(conjunction), true, false, null];
  const possible: Scalar[] = [
    ...examples.filter((value) => value === null || typeof value !== "object"),
    ...made,
  ];
  return [...new Set(possible)].filter((value) => fits(value, conjunction));
}

/** Returns whether a value passes the keywords that do not inspect an object or array. */
function fits(value: unknown, conjunction: Conjunction): boolean {
  return conjunction.every((schema) => {
    if (!hasType(value, schema.type)) return false;
    if (schema.const !== undefined && !same(value, schema.const)) return false;
    if (schema.enum !== undefined && !schema.enum.some((each) => same(value, each))) return false;
    if (typeof value === "string") return stringFits(value, schema);
    return typeof value !== "number" || numberFits(value, schema);
  });
}

/** Returns the values that `const` and `enum` allow; undefined when neither is present. */
function enumerated(conjunction: Conjunction): unknown[] | undefined {
  const schema = conjunction.find((each) => each.const !== undefined || each.enum !== undefined);
  if (schema === undefined) return undefined;
  const values = schema.const !== undefined ? [schema.const] : [...(schema.enum ?? [])];
  return values.filter((value) => fits(value, conjunction));
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

export function hasType(value: unknown, type: SchemaObject["type"]): boolean {
  if (type === undefined) return true;
  const own = typeOf(value);
  return [type].flat().some((each) => each === own || (each === "number" && own === "integer"));
}

function stringFits(value: string, schema: SchemaObject): boolean {
  const length = [...value].length;
  if (length < Number(schema.minLength ?? 0) || length > Number(schema.maxLength ?? Number.POSITIVE_INFINITY))
    return false;
  if (typeof schema.pattern === "string" && !new RegExp(schema.pattern, "u").test(value)) return false;
  return schema.format === undefined || (FORMATS[schema.format]?.test(value) ?? true);
}

function numberFits(value: number, schema: SchemaObject): boolean {
  const { minimum = value, maximum = value, exclusiveMinimum, exclusiveMaximum, multipleOf = 0 } = schema;
  if (value < Number(minimum) || value > Number(maximum)) return false;
  if (exclusiveMinimum !== undefined && value <= Number(exclusiveMinimum)) return false;
  if (exclusiveMaximum !== undefined && value >= Number(exclusiveMaximum)) return false;
  return Number(multipleOf) === 0 || isMultiple(value, Number(multipleOf));
}

const samples = new Map<string, string[]>();

function samplesOf(pattern: string): string[] {
  // A fixed seed: the same documents must always have the same result.
  const options = { seed: 1, numRuns: PATTERN_SAMPLES };
  const found = samples.get(pattern) ?? sample(stringMatching(new RegExp(pattern, "u")), options);
  samples.set(pattern, found);
  return found;
}

function strings(conjunction: Conjunction): string[] {
  const found = [...TEXTS];
  for (const { pattern, minLength, maxLength } of conjunction) {
    if (typeof pattern === "string") found.push(...samplesOf(pattern));
    for (const length of [minLength, maxLength]) {
      if (typeof length === "number" && length <= 1000) found.push("a".repeat(length), "1".repeat(length));
    }
  }
  return found;
}

function numbers(conjunction: Conjunction): number[] {
  const found = [0, 1, -1, 0.5];
  for (const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } of conjunction) {
    for (const bound of [minimum, maximum, exclusiveMinimum, exclusiveMaximum]) {
      if (typeof bound === "number") found.push(bound, bound + 1, bound - 1, bound + 0.5, bound - 0.5);
    }
    if (typeof multipleOf === "number") found.push(multipleOf, -multipleOf, multipleOf * 10);
  }
  return found;
}
