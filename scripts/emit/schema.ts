import { at, type Place, pointerStep } from "./fault.ts";

/** JSON Schema 2020-12, as far as this generator reads it. */
export interface SchemaObject {
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  const?: unknown;
  enum?: readonly unknown[];
  description?: string;
  properties?: NamedSchemas;
  required?: readonly string[];
  additionalProperties?: Schema;
  patternProperties?: NamedSchemas;
  propertyNames?: Schema;
  unevaluatedProperties?: Schema;
  unevaluatedItems?: Schema;
  dependentRequired?: Readonly<Record<string, readonly string[]>>;
  dependentSchemas?: NamedSchemas;
  items?: Schema;
  prefixItems?: readonly Schema[];
  contains?: Schema;
  not?: Schema;
  if?: Schema;
  then?: Schema;
  else?: Schema;
  allOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  [keyword: string]: unknown;
}
export type Schema = boolean | SchemaObject;
export type NamedSchemas = Readonly<Record<string, Schema>>;

/** The keywords of JSON Schema 2020-12 that hold schemas (core and applicator vocabulary), by the form they hold them in. */
const SINGLE = [
  ...["items", "contains", "unevaluatedItems"],
  ...["additionalProperties", "propertyNames", "unevaluatedProperties"],
  ...["not", "if", "then", "else"],
];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAPS = ["properties", "patternProperties", "dependentSchemas", "$defs"];

/** The assertions and applicators that the validators and the types can both carry. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  ...["$ref", "type", "enum", "const"],
  ...["format", "pattern", "minLength", "maxLength"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minItems", "maxItems", "uniqueItems", "minContains", "maxContains"],
  ...["required", "minProperties", "maxProperties", "dependentRequired"],
  ...SINGLE,
  ...LISTS,
  ...MAPS,
]);

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value, or an empty record in place of anything else. */
export const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

export function isSchema(value: unknown): value is Schema {
  return typeof value === "boolean" || isRecord(value);
}

/** Returns a record that has the same value under each of the keys. */
export const all = <T>(value: T, ...keys: readonly string[]): Record<string, T> =>
  Object.fromEntries(keys.map((key) => [key, value]));

/** Returns a copy of a record whose values went through `change`, in the same order. */
export function mapRecord<T, V>(
  record: Readonly<Record<string, T>>,
  change: (value: T, key: string) => V,
): Record<string, V> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

type Visit = (schema: Schema, steps: readonly (string | number)[]) => Schema;

/** Returns a copy of `schema` whose direct subschemas went through `visit`. Other values are unchanged. */
export function mapSubschemas(schema: SchemaObject, visit: Visit): SchemaObject {
  return mapRecord(schema, (value, keyword) => mapKeyword(keyword, value, visit));
}

function mapKeyword(keyword: string, value: unknown, visit: Visit): unknown {
  if (SINGLE.includes(keyword) && isSchema(value)) return visit(value, [keyword]);
  if (LISTS.includes(keyword) && Array.isArray(value)) {
    return value.map((item, index) => (isSchema(item) ? visit(item, [keyword, index]) : item));
  }
  if (MAPS.includes(keyword) && isRecord(value)) {
    return mapRecord(value, (item, name) => (isSchema(item) ? visit(item, [keyword, name]) : item));
  }
  return value;
}

/** Calls `see` for a schema and everything below it, with the place of each. References are not followed. */
export function walkSchema(
  schema: Schema,
  place: Place,
  see: (schema: SchemaObject, place: Place) => void,
): void {
  if (typeof schema === "boolean") return;
  see(schema, place);
  mapSubschemas(schema, (below, steps) => {
    walkSchema(below, at(place, ...steps), see);
    return below;
  });
}

const PREFIX = "#/components/schemas/";

/** Returns the name in a reference to a named schema; undefined for a reference to anything else. */
export function referredName(reference: string): string | undefined {
  const name = reference.slice(PREFIX.length);
  return reference.startsWith(PREFIX) && name !== "" && !name.includes("/") ? name : undefined;
}

export function referenceTo(name: string): string {
  return PREFIX + pointerStep(name).slice(1);
}

/** Returns whether a schema is only a reference (annotations beside `$ref` change nothing). */
export function isReference(schema: Schema | undefined): schema is SchemaObject & { $ref: string } {
  return typeof schema === "object" && Object.keys(withoutNotes(schema)).join() === "$ref";
}

/** Returns the name of the schema when `schema` is only a reference to it. */
export const onlyReference = (schema: Schema): string | undefined =>
  isReference(schema) ? referredName(schema.$ref) : undefined;

/** Keywords without an effect on validity (JSON Schema 2020-12 meta-data vocabulary, OpenAPI 3.1 section 4.8.24). */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...["title", "description", "default", "deprecated", "examples", "example", "externalDocs", "$comment"],
  ...["contentMediaType", "contentEncoding", "contentSchema"],
]);

export const isAnnotation = (keyword: string): boolean => ANNOTATIONS.has(keyword);

/** Returns the members of a schema that annotate it. */
export const notesOf = (schema: SchemaObject): SchemaObject => only(schema, isAnnotation);

/** Returns the schema without annotations. */
export const withoutNotes = (schema: SchemaObject): SchemaObject =>
  only(schema, (keyword) => !isAnnotation(keyword));

/** Returns the members of a record whose names are kept. */
export function only<T extends object>(record: T, isKept: (name: string) => boolean): Partial<T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => isKept(name))) as Partial<T>;
}

/** Whose members have names of the author's own, which may begin with `x-`. */
const NAMING = ["headers", "parameters", "requestBodies", "securitySchemes", "schemas", "properties"];

/** Returns whether a key is an extension, below which anything may stand. */
export const isExtension = (key: string, holder: string | undefined): boolean =>
  key.startsWith("x-") && !NAMING.includes(holder ?? "");

/** Returns whether the value under a key is no part of the document: an extension or an example. */
export const isFree = (key: string, holder: string): boolean =>
  isExtension(key, holder) || ((key === "example" || key === "examples") && !NAMING.includes(holder));

/** Returns the narrowest type of a value that a schema can name. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return Array.isArray(value) ? "array" : typeof value;
}

/** In a named schema: the name of the schema whose complete form it is. */
export const COMPLETES = "x-completes";
