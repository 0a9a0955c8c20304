import type { SchemaObject } from "../schema.ts";

/** Moves the keywords beside `$ref`, which a reader of 3.0 ignores. */
export function withReferences(schema: SchemaObject): SchemaObject {
  const { $ref, ...rest } = schema;
  if ($ref === undefined || Object.keys(rest).length === 0) return schema;
  return { ...rest, allOf: [{ $ref }, ...(rest.allOf ?? [])] };
}
