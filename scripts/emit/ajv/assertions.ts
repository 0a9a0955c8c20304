import { isAnnotation, mapSubschemas, referredName, type Schema, type SchemaObject } from "../schema.ts";

/**
 * Returns the schema as Ajv compiles it: without annotations, references by the id of the named schema. `isCounting`: whether evaluated
 * members are counted, for which conditions become choices.
 */
export function assertionsOf(schema: Schema, isCounting = false): Schema {
  if (typeof schema === "boolean") return schema;
  const asserting = Object.entries(schema).filter(([keyword]) => !isAnnotation(keyword));
  const copy = mapSubschemas(Object.fromEntries(asserting), (below) => assertionsOf(below, isCounting));
  if (copy.$ref !== undefined) copy.$ref = referredName(copy.$ref) ?? copy.$ref;
  return isCounting ? withChoice(copy) : copy;
}

/** Ajv counts what is evaluated under `if` even where it does not hold, and nothing where no branch follows. */
function withChoice({ if: condition, then = true, else: otherwise = true, ...rest }: SchemaObject): Schema {
  const holds = condition as Schema | undefined;
  if (holds === undefined) return rest;
  const anyOf = [{ allOf: [holds, then as Schema] }, { allOf: [{ not: holds }, otherwise as Schema] }];
  return { ...rest, allOf: [...(rest.allOf ?? []), { anyOf }] };
}
