import type { SchemaObject } from "../schema.ts";

/** Converts types, numbers, fixed values and examples. */
export function withValues(schema: SchemaObject): SchemaObject {
  return [exclusiveBounds, fixedValue, types, example].reduce((each, step) => step(each), schema);
}

/** 3.0 has a bound and a flag for whether it is inclusive. */
function exclusiveBounds(schema: SchemaObject): SchemaObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  const isLower =
    exclusiveMinimum !== undefined && Number(exclusiveMinimum) >= Number(minimum ?? exclusiveMinimum);
  const isUpper =
    exclusiveMaximum !== undefined && Number(exclusiveMaximum) <= Number(maximum ?? exclusiveMaximum);
  const least = isLower ? exclusiveMinimum : minimum;
  const most = isUpper ? exclusiveMaximum : maximum;
  if (least === undefined && most === undefined) return schema;
  return {
    ...rest,
    ...(least !== undefined && { minimum: least }),
    ...(isLower && { exclusiveMinimum: true }),
    ...(most !== undefined && { maximum: most }),
    ...(isUpper && { exclusiveMaximum: true }),
  };
}

function fixedValue(schema: SchemaObject): SchemaObject {
  if (!("const" in schema)) return schema;
  const { const: only, ...rest } = schema;
  const { enum: values = [only] } = rest;
  const left = values.filter((value) => JSON.stringify(value) === JSON.stringify(only));
  return left.length > 0 ? { ...rest, enum: left } : { ...rest, not: {} };
}

/** 3.0 supports one type and `nullable`, which applies only beside a type. */
function types(schema: SchemaObject): SchemaObject {
  const { type, ...rest } = schema;
  if (type === undefined || typeof type === "string") {
    return type === "null" ? { ...rest, ...NOTHING_BUT_NULL } : schema;
  }
  const isNullable = type.includes("null") && (schema.enum === undefined || schema.enum.includes(null));
  const [first, ...more] = type.filter((each) => each !== "null");
  if (first === undefined) return { ...rest, ...NOTHING_BUT_NULL };
  const one = { type: first, ...(isNullable && { nullable: true }) };
  if (more.length === 0) return { ...one, ...rest };
  const choice = [first, ...more].map((each) => ofType(each, each === first ? one : { type: each }));
  return rest.anyOf === undefined
    ? { ...rest, anyOf: choice }
    : { ...rest, allOf: [...(rest.allOf ?? []), { anyOf: choice }] };
}

const NOTHING_BUT_NULL: SchemaObject = { type: "string", nullable: true, enum: [null] };

const ofType = (type: string, schema: SchemaObject): SchemaObject =>
  type === "array" ? { ...schema, items: {} } : schema;

function example(schema: SchemaObject): SchemaObject {
  const { examples, $comment, ...rest } = schema;
  if (!Array.isArray(examples)) return rest;
  return examples.length === 0 || "example" in rest ? rest : { ...rest, example: examples[0] };
}
