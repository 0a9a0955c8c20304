import { isAnnotation, mapSubschemas, referredName, type Schema } from "../schema.ts";

/** Returns the schema as Ajv compiles it: without annotations, references by the id of the named schema. */
export function assertionsOf(schema: Schema): Schema {
  if (typeof schema === "boolean") return schema;
  const asserting = Object.entries(schema).filter(([keyword]) => !isAnnotation(keyword));
  const copy = mapSubschemas(Object.fromEntries(asserting), assertionsOf);
  if (copy.$ref !== undefined) copy.$ref = referredName(copy.$ref) ?? copy.$ref;
  return copy;
}
