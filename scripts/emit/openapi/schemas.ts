import { flatten } from "../documents/flatten.ts";
import {
  isAnnotation,
  isRecord,
  mapRecord,
  mapSubschemas,
  type NamedSchemas,
  type Schema,
  type SchemaObject,
} from "../schema.ts";

/** Keywords that restrict values without a shape that a type could express. */
const CONDITIONS = [
  ...["not", "if", "then", "else", "dependentRequired", "dependentSchemas"],
  ...["unevaluatedProperties", "unevaluatedItems", "propertyNames", "contains"],
];
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
  const kept = Object.entries(schema).filter(([keyword, value]) => !isCondition(keyword, value, named));
  return mapSubschemas(Object.fromEntries(kept), (below) => unconditional(below, named));
}

function united(schema: Schema, named: NamedSchemas): Schema {
  if (typeof schema === "boolean") return schema;
  const flat = [nothing, openMembers, places].reduce((each, step) => step(each), flatten(schema, named));
  return mapSubschemas(flat, (below, [keyword]) => {
    const isListed = keyword === "allOf" || keyword === "anyOf" || keyword === "oneOf";
    return isListed && typeof below === "boolean" ? {} : united(below, named);
  });
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
