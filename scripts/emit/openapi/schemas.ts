import {
  isAnnotation,
  mapSubschemas,
  type NamedSchemas,
  referredName,
  type Schema,
  type SchemaObject,
} from "../schema.ts";

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
/** What an object schema may hold beside its properties and still be merged with another one. */
const OBJECT_KEYWORDS = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "minProperties",
  "maxProperties",
]);

/**
 * The schema as a type can say it: conditions without a shape are left out, and an `allOf` of object schemas
 * becomes one object with all their properties, so that required and optional members come out right.
 */
export function typeShape(schema: Schema, named: NamedSchemas): Schema {
  if (typeof schema === "boolean") return schema;
  const kept = Object.entries(schema).filter(([keyword, value]) => !isCondition(keyword, value, named));
  const shape = mapSubschemas(Object.fromEntries(kept), (below) => typeShape(below, named));
  return mergeAllOf(referenceAsPart(shape), named);
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

/** `$ref` beside other shape keywords (allowed since 2020-12) is the same as an `allOf` of the two. */
function referenceAsPart(schema: SchemaObject): SchemaObject {
  if (schema.$ref === undefined) return schema;
  const { $ref, allOf = [], ...rest } = schema;
  const shape = Object.keys(rest).some((keyword) => !isAnnotation(keyword));
  return shape || allOf.length > 0 ? { ...rest, allOf: [{ $ref }, ...allOf] } : schema;
}

function mergeAllOf(schema: SchemaObject, named: NamedSchemas): SchemaObject {
  if (schema.allOf === undefined) return schema;
  const { allOf, ...own } = schema;
  const parts: SchemaObject[] = [];
  const left: Schema[] = [];
  for (const part of allOf) {
    const object = objectPart(part, named);
    if (object === undefined) left.push(part);
    else parts.push(object);
  }
  if (left.length > 0 && parts.length === 0 && own.properties === undefined && own.required === undefined)
    return schema;
  const merged = parts.reduce(uniteObjects, {});
  const all = uniteObjects(merged, own);
  return left.length === 0 ? all : { ...all, allOf: left };
}

/** The object that a member of `allOf` describes, references followed; undefined if it is more than an object. */
function objectPart(schema: Schema, named: NamedSchemas): SchemaObject | undefined {
  if (typeof schema === "boolean") return undefined;
  if (schema.$ref !== undefined) {
    const target = named[referredName(schema.$ref) ?? ""];
    return target === undefined ? undefined : objectPart(typeShape(target, named), named);
  }
  const shape: SchemaObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (OBJECT_KEYWORDS.has(keyword)) shape[keyword] = value;
    else if (!isAnnotation(keyword)) return undefined;
  }
  return shape.type === undefined || shape.type === "object" ? shape : undefined;
}

function uniteObjects(left: SchemaObject, right: SchemaObject): SchemaObject {
  const properties: Record<string, Schema> = { ...left.properties };
  for (const [name, schema] of Object.entries(right.properties ?? {})) {
    const other = properties[name];
    properties[name] = other === undefined ? schema : uniteValues(other, schema);
  }
  const required = [...new Set([...(left.required ?? []), ...(right.required ?? [])])];
  const united: SchemaObject = { ...left, ...right, type: "object" };
  if (Object.keys(properties).length > 0) united.properties = properties;
  if (required.length > 0) united.required = required;
  return united;
}

/** Two descriptions of one property: the stricter where that is plain, else both. */
function uniteValues(left: Schema, right: Schema): Schema {
  if (left === false || right === false) return false;
  if (typeof left === "boolean" || Object.keys(left).every(isAnnotation)) return right;
  if (typeof right === "boolean" || Object.keys(right).every(isAnnotation)) return left;
  if (JSON.stringify(left) === JSON.stringify(right)) return left;
  const clash = Object.keys(right).some(
    (keyword) => keyword in left && !isAnnotation(keyword) && keyword !== "type",
  );
  const plain =
    left.$ref === undefined && right.$ref === undefined && left.type === (right.type ?? left.type);
  return plain && !clash ? { ...left, ...right } : { allOf: [left, right] };
}
