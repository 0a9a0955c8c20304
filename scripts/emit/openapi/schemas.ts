import { flatten } from "../documents/flatten.ts";
import { isAnnotation, mapRecord, mapSubschemas, type NamedSchemas, type Schema } from "../schema.ts";

/** Keywords that restrict values without a shape that a type could express. */
const CONDITIONS = [
  "not",
  "if",
  "then",
  "else",
  "unevaluatedProperties",
  "unevaluatedItems",
  "dependentRequired",
  "dependentSchemas",
  "propertyNames",
  "contains",
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
  const flat = flatten(schema, named);
  return mapSubschemas(flat, (below, [keyword]) => {
    const isListed = keyword === "allOf" || keyword === "anyOf" || keyword === "oneOf";
    return isListed && typeof below === "boolean" ? {} : united(below, named);
  });
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
