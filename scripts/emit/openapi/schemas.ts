import { flatten } from "../documents/flatten.ts";
import { isAnnotation, mapRecord, mapSubschemas, type NamedSchemas, type Schema } from "../schema.ts";

/** Keywords that restrict values without giving them a shape a type could show. */
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
  "discriminator",
];
/** The named schemas as types can say them. */
export function typeShapes(named: NamedSchemas): NamedSchemas {
  const shaped = mapRecord(named, (each) => unconditional(each, named));
  return mapRecord(shaped, (each) => united(each, shaped));
}

/**
 * The schema as a type can say it: conditions without a shape are left out, and an `allOf` of object schemas
 * becomes one object with all their properties, so that required and optional members come out right.
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
  return mapSubschemas(flatten(schema, named), (below) => united(below, named));
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
