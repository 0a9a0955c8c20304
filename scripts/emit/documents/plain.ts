import { isAnnotation, mapSubschemas, type NamedSchemas, type Schema, type SchemaObject } from "../schema.ts";
import { flatten, isCondition } from "./flatten.ts";
import { conditionsAsRefusals } from "./refusals.ts";

/** Keywords whose schemas only accept or refuse a value: no type is made of them. */
const ASKED = ["not", "if", "contains", "propertyNames"];

/**
 * Returns a schema that accepts the same values, in the forms that most code generators support: an object is one object with all of its
 * members, a choice is separate, and conditions are in `not`.
 */
export function plain(schema: Schema, named: NamedSchemas): Schema {
  if (typeof schema === "boolean") return schema;
  const flat = distribute(flatten(schema, named), named);
  const below = mapSubschemas(flat, (each, [keyword]) =>
    ASKED.includes(String(keyword)) ? each : plain(each, named),
  );
  return conditionsAsRefusals(below);
}

/** Members beside a choice go into each of its branches: many generators read only one of the two. */
function distribute(schema: SchemaObject, named: NamedSchemas): SchemaObject {
  const keyword = (["oneOf", "anyOf"] as const).find((each) =>
    schema[each]?.some((one) => !isCondition(one)),
  );
  const { properties, required } = schema;
  if (keyword === undefined || (properties === undefined && required === undefined)) return schema;
  // Members that one branch of several evaluates count for the others.
  if (keyword === "anyOf" && "unevaluatedProperties" in schema) return schema;
  const { [keyword]: branches = [], ...rest } = schema;
  const [notes, base] = [only(rest, isAnnotation), only(rest, (each) => !isAnnotation(each))];
  const whole = branches.map((branch) => {
    if (typeof branch === "boolean") return undefined;
    const { unevaluatedProperties, ...others } = base;
    const unevaluated = unevaluatedProperties === undefined ? {} : { unevaluatedProperties };
    return flatten({ ...only(branch, isAnnotation), ...unevaluated, allOf: [others, branch] }, named);
  });
  const isDone = (each: SchemaObject | undefined): each is SchemaObject =>
    each !== undefined && !("allOf" in each) && !("unevaluatedProperties" in each);
  return whole.every(isDone) ? { ...notes, [keyword]: whole } : schema;
}

function only(schema: SchemaObject, isKept: (keyword: string) => boolean): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => isKept(keyword)));
}
