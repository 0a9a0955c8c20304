import { isSchema, type NamedSchemas, referredName, type Schema } from "../schema.ts";
import { type Conjunction, enumerated, fits, scalars } from "./scalars.ts";

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
