import { isMultiple } from "../../src/runtime/multiple.ts";
import { NARROWER } from "../emit/formats.ts";
import type { Schema, SchemaObject } from "../emit/schema.ts";

type Schemas = readonly SchemaObject[];

const KINDS: Readonly<Record<string, readonly string[]>> = {
  null: ["null"],
  boolean: ["boolean"],
  object: ["object"],
  array: ["array"],
  string: ["string"],
  integer: ["integer"],
  number: ["integer", "fraction"],
};

/** Returns the kinds of values that the types of all schemas allow. */
export function kindsIn(all: Schemas): ReadonlySet<string> {
  const typed = all.flatMap(({ type }) =>
    type === undefined ? [] : [[type].flat().flatMap((each) => KINDS[each] ?? [])],
  );
  const every = ["null", "boolean", "object", "array", "string", ...(KINDS.number ?? [])];
  return new Set(every.filter((kind) => typed.every((kinds) => kinds.includes(kind))));
}

/** Returns the values that a schema lists; none if it lists none. */
export function valuesIn(schema: Schema): readonly unknown[] {
  if (typeof schema === "boolean") return [];
  return "const" in schema ? [schema.const] : (schema.enum ?? []);
}

const numbersIn = (all: Schemas, keyword: string): number[] =>
  all.flatMap(({ [keyword]: value }) => (typeof value === "number" ? [value] : []));

/** Returns the range that all schemas allow for a length or a number of members. */
export function lengths(all: Schemas, of: "Length" | "Items" | "Properties") {
  const least = Math.max(0, ...numbersIn(all, `min${of}`));
  const most = Math.min(Number.POSITIVE_INFINITY, ...numbersIn(all, `max${of}`));
  return { least, most, isEmpty: least > most };
}

/** Returns the range of numbers that all schemas allow; `…Open` without the bound. */
export function bounds(all: Schemas) {
  const [lower, above] = [numbersIn(all, "minimum"), numbersIn(all, "exclusiveMinimum")];
  const [upper, below] = [numbersIn(all, "maximum"), numbersIn(all, "exclusiveMaximum")];
  let least = Math.max(Number.NEGATIVE_INFINITY, ...lower, ...above);
  let most = Math.min(Number.POSITIVE_INFINITY, ...upper, ...below);
  let leastOpen = above.includes(least);
  let mostOpen = below.includes(most);
  if (!kindsIn(all).has("fraction")) {
    least = leastOpen ? Math.floor(least) + 1 : Math.ceil(least);
    most = mostOpen ? Math.ceil(most) - 1 : Math.floor(most);
    leastOpen = mostOpen = false;
  }
  return {
    least,
    most,
    leastOpen,
    mostOpen,
    isEmpty: least > most || (least === most && (leastOpen || mostOpen)),
  };
}

/** Returns whether numbers that all schemas allow satisfy another one. */
export function isNumber(all: Schemas, schema: SchemaObject): boolean {
  const { least, most, leastOpen, mostOpen } = bounds(all);
  const { minimum = least, maximum = most, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const steps = [...numbersIn(all, "multipleOf"), ...(kindsIn(all).has("fraction") ? [] : [1])];
  return (
    least >= Number(minimum) &&
    most <= Number(maximum) &&
    (exclusiveMinimum === undefined ||
      least > Number(exclusiveMinimum) ||
      (least === exclusiveMinimum && leastOpen)) &&
    (exclusiveMaximum === undefined ||
      most < Number(exclusiveMaximum) ||
      (most === exclusiveMaximum && mostOpen)) &&
    (multipleOf === undefined || steps.some((step) => isMultiple(step, Number(multipleOf))))
  );
}

/** Returns whether texts that all schemas allow satisfy another one. */
export function isText(all: Schemas, schema: SchemaObject): boolean {
  const { least, most } = lengths(all, "Length");
  const wanted = lengths([schema], "Length");
  const { pattern, format } = schema;
  const hasFormat = (each: SchemaObject) => each.format === format || NARROWER[each.format ?? ""] === format;
  return (
    least >= wanted.least &&
    most <= wanted.most &&
    (pattern === undefined || all.some((each) => each.pattern === pattern)) &&
    (format === undefined || all.some(hasFormat))
  );
}

/** Returns what `pick` finds in the schemas. */
export function defined(all: Schemas, pick: (schema: SchemaObject) => Schema | undefined): Schema[] {
  return all.map(pick).filter((schema) => schema !== undefined);
}

/** Returns what schemas demand of the item at an index. */
export function itemsIn(all: Schemas, index: number): Schema[] {
  return defined(all, (schema) => schema.prefixItems?.[index] ?? schema.items ?? restOf(schema));
}

const COUNTING = ["$ref", "allOf", "anyOf", "oneOf", "if", "contains", "dependentSchemas"];

/** Where nothing else applies to the array, the unevaluated items are the rest. */
function restOf(schema: SchemaObject): Schema | undefined {
  return COUNTING.some((keyword) => keyword in schema) ? undefined : schema.unevaluatedItems;
}

/** Returns whether `itemsIn` considers what a schema says about unevaluated items. */
export const isCounted = (schema: SchemaObject): boolean =>
  schema.unevaluatedItems === undefined || schema.items !== undefined || restOf(schema) !== undefined;

/** Returns the members that objects must have. */
export function requiredIn(all: Schemas): ReadonlySet<string> {
  const names = new Set(all.flatMap(({ required = [] }) => required));
  for (const name of names) {
    for (const { dependentRequired = {} } of all)
      for (const other of dependentRequired[name] ?? []) names.add(other);
  }
  return names;
}

/** Returns the schemas for objects with one of these members. */
export const dependentsIn = (all: Schemas, names: ReadonlySet<string>): Schema[] =>
  all.flatMap(({ dependentSchemas = {} }) =>
    Object.entries(dependentSchemas).flatMap(([name, schema]) => (names.has(name) ? [schema] : [])),
  );

const expressions = new Map<string, RegExp>();

export function matches(pattern: string, name: string): boolean {
  const expression = expressions.get(pattern) ?? new RegExp(pattern, "u");
  expressions.set(pattern, expression);
  return expression.test(name);
}
