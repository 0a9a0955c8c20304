import { sample, stringMatching } from "fast-check";
import { isMultiple } from "../../../src/runtime/multiple.ts";
import { FORMATS } from "../formats.ts";
import { type SchemaObject, typeOf } from "../schema.ts";

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
export function scalars(conjunction: Conjunction): Scalar[] {
  const examples = conjunction.flatMap((schema) => (Array.isArray(schema.examples) ? schema.examples : []));
  const made = [...strings(conjunction), ...numbers(conjunction), true, false, null];
  const possible: Scalar[] = [
    ...examples.filter((value) => value === null || typeof value !== "object"),
    ...made,
  ];
  return [...new Set(possible)].filter((value) => fits(value, conjunction));
}

/** Returns whether a value passes the keywords that do not inspect an object or array. */
export function fits(value: unknown, conjunction: Conjunction): boolean {
  return conjunction.every((schema) => {
    if (!hasType(value, schema.type)) return false;
    if (schema.const !== undefined && !same(value, schema.const)) return false;
    if (schema.enum !== undefined && !schema.enum.some((each) => same(value, each))) return false;
    if (typeof value === "string") return stringFits(value, schema);
    return typeof value !== "number" || numberFits(value, schema);
  });
}

/** Returns the values that `const` and `enum` allow; undefined when neither is present. */
export function enumerated(conjunction: Conjunction): unknown[] | undefined {
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
