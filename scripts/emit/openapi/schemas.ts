import { flatten } from "../documents/flatten.ts";
import {
  isAnnotation,
  isRecord,
  KEYWORDS,
  mapRecord,
  mapSubschemas,
  type NamedSchemas,
  only,
  type Schema,
  type SchemaObject,
} from "../schema.ts";

/** Keywords that restrict values without a shape that a type could express. */
const CONDITIONS = [
  ...["not", "if", "then", "else", "dependentRequired", "dependentSchemas"],
  ...["unevaluatedProperties", "unevaluatedItems", "propertyNames", "contains"],
];

const EXACT = ["$ref", "type", "enum", "const", "properties", "required", "items", "allOf", "anyOf", "$defs"];

/** The keywords of which types say less than validators check. */
export const WIDER: readonly string[] = [...KEYWORDS].filter((keyword) => !EXACT.includes(keyword));

/** Returns the named schemas as types can express them. */
export function typeShapes(named: NamedSchemas): NamedSchemas {
  const shaped = mapRecord(named, (each) => unconditional(each, named));
  return mapRecord(shaped, (each) => united(each, shaped));
}

/**
 * Returns the schema as a type can express it. Conditions without a shape are omitted. An `allOf` of object schemas becomes one object
 * with all their properties, which keeps required and optional members correct.
 */
export function typeShape(schema: Schema, named: NamedSchemas): Schema {
  return united(unconditional(schema, named), named);
}

function unconditional(schema: Schema, named: NamedSchemas): Schema {
  if (typeof schema === "boolean") return schema;
  const kept = Object.entries(schema).filter(
    ([keyword, value]) => !isCondition(keyword, value, named) && !isUnprintable(keyword, value),
  );
  return mapSubschemas(Object.fromEntries(kept), (below) => unconditional(below, named));
}

/** openapi-typescript follows a member of an example that is called `$ref`. */
const isUnprintable = (keyword: string, value: unknown): boolean =>
  isAnnotation(keyword) && JSON.stringify(value).includes('"$ref"');

/** `isObject`: the schema around this one allows nothing else. */
function united(schema: Schema, named: NamedSchemas, isObject = false): Schema {
  if (typeof schema === "boolean") return schema;
  const steps = [nothing, ...(isObject ? [] : [otherTypes]), openMembers, places];
  const flat = steps.reduce((each, step) => step(each), flatten(schema, named));
  return mapSubschemas(flat, (below, [keyword]) => {
    const isListed = keyword === "allOf" || keyword === "anyOf" || keyword === "oneOf";
    // No value is in an empty enum.
    if (isListed && typeof below === "boolean") return below ? {} : { enum: [] };
    return united(below, named, isListed && (isObject || flat.type === "object"));
  });
}

const OTHER_TYPES = ["string", "number", "boolean", "array", "null"];
const OF_OBJECTS = ["properties", "patternProperties", "additionalProperties", "required"];

/** Without a `type`, the keywords of objects allow every other value. */
function otherTypes(schema: SchemaObject): SchemaObject {
  const isOfObjects = (keyword: string) => OF_OBJECTS.includes(keyword);
  const members = only(schema, isOfObjects);
  const isTyped = "type" in schema || Object.keys(members).every((keyword) => keyword === "required");
  if (isTyped) return schema;
  const rest = only(schema, (keyword) => !isOfObjects(keyword));
  const anyOf = [{ type: "object", ...members }, { type: OTHER_TYPES }];
  const isAlone = Object.keys(rest).every(isAnnotation);
  return isAlone ? { ...rest, anyOf } : { ...rest, allOf: [...(rest.allOf ?? []), { anyOf }] };
}

/** A constant null is the type. */
const nothing = (schema: SchemaObject): SchemaObject => {
  const { const: only, ...rest } = schema;
  return only === null ? { ...rest, type: "null" } : schema;
};

const COMPOSED = ["$ref", "allOf", "anyOf", "oneOf"];

/** An object may have other members, which a type names only where no member has a type of its own. */
function openMembers(schema: SchemaObject): SchemaObject {
  const { properties = {}, patternProperties, additionalProperties, required = [] } = schema;
  const isObject = [schema.type].flat().includes("object");
  const isSchematic =
    isRecord(additionalProperties) || patternProperties !== undefined || schema.properties === undefined;
  const unnamed =
    isObject && additionalProperties !== false ? required.filter((name) => !(name in properties)) : [];
  const members = { ...Object.fromEntries(unnamed.map((name) => [name, {}])), ...properties };
  const { patternProperties: _patterns, ...rest } = schema;
  const isEmpty = Object.keys(members).length === 0;
  if (!isEmpty) return { ...rest, properties: members, ...(isSchematic && { additionalProperties: true }) };
  const forms = Object.values(patternProperties ?? {});
  if (forms.length > 0)
    return { ...rest, additionalProperties: additionalProperties === false ? { anyOf: forms } : true };
  const isFree =
    isObject && additionalProperties === undefined && !COMPOSED.some((keyword) => keyword in schema);
  return isFree ? { ...rest, additionalProperties: true } : rest;
}

/** A type names the places of items only where there are as many items as places. */
function places(schema: SchemaObject): SchemaObject {
  const { prefixItems, items, ...rest } = schema;
  if (!Array.isArray(prefixItems)) return schema;
  const isClosed = items === false || Number(rest.maxItems) <= prefixItems.length;
  if (isClosed && Number(rest.minItems) >= prefixItems.length) return schema;
  return { ...rest, items: isClosed ? { anyOf: prefixItems } : {} };
}

function isCondition(keyword: string, value: unknown, named: NamedSchemas): boolean {
  if (CONDITIONS.includes(keyword)) return true;
  if (keyword !== "anyOf" && keyword !== "oneOf") return false;
  return Array.isArray(value) && value.some((branch: Schema) => isShapeless(branch, named));
}

function isShapeless(schema: Schema, named: NamedSchemas): boolean {
  if (typeof schema === "boolean") return schema;
  return Object.entries(schema).every(([keyword, value]) => {
    if (keyword === "type") return value === "object";
    return keyword === "required" || isAnnotation(keyword) || isCondition(keyword, value, named);
  });
}
