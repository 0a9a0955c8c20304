import { isSchema, type NamedSchemas, type Schema } from "../schema.ts";
import { type Conjunction, conjunctions } from "./conjunction.ts";
import { enumerated, fits, scalars } from "./scalars.ts";

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

interface Members {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Returns the values to try for each possible member. */
  readonly values: ReadonlyMap<string, readonly unknown[]>;
}

function* objects(conjunction: Conjunction, named: NamedSchemas, depth: number): Generator<unknown> {
  const { required, optional, values } = membersOf(conjunction, named, depth);
  if (required.some((name) => !values.has(name))) return;
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

function membersOf(conjunction: Conjunction, named: NamedSchemas, depth: number): Members {
  const required = [...new Set(conjunction.flatMap((schema) => schema.required ?? []))];
  const names = new Set([
    ...required,
    ...conjunction.flatMap((schema) => Object.keys(schema.properties ?? {})),
  ]);
  const values = new Map<string, readonly unknown[]>();
  for (const name of names) {
    const found = valuesFor(memberSchemas(conjunction, name), named, depth);
    if (found.length > 0) values.set(name, found);
  }
  const optional = [...values.keys()].filter((name) => !required.includes(name));
  return { required, optional, values };
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
