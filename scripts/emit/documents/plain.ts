import {
  mapSubschemas,
  type NamedSchemas,
  notesOf,
  type Schema,
  type SchemaObject,
  withoutNotes,
} from "../schema.ts";
import { flatten, isCondition, unevaluated } from "./flatten.ts";

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
  const { unevaluatedProperties: _, ...others } = withoutNotes(rest);
  const whole = branches.map((branch) => {
    if (typeof branch === "boolean") return undefined;
    return flatten({ ...notesOf(branch), ...unevaluated(rest), allOf: [others, branch] }, named);
  });
  const isDone = (each: SchemaObject | undefined): each is SchemaObject =>
    each !== undefined && !("allOf" in each) && !("unevaluatedProperties" in each);
  return whole.every(isDone) ? { ...notesOf(rest), [keyword]: whole } : schema;
}

/** Returns the schema, which also refuses what any of `refused` accepts. Code generators ignore `not`, and keep its siblings. */
export function refusing(schema: SchemaObject, refused: readonly Schema[]): SchemaObject {
  if (refused.length === 0) return schema;
  const { not, ...rest } = schema;
  const [first = false, ...others] = [...alternativesOf(not), ...refused];
  return { ...rest, not: others.length === 0 ? first : { anyOf: [first, ...others] } };
}

function alternativesOf(not: Schema | undefined): readonly Schema[] {
  if (not === undefined) return [];
  const isList = typeof not === "object" && Object.keys(not).join() === "anyOf";
  return isList ? (not.anyOf ?? []) : [not];
}

/**
 * Moves forbidden members, and branches that only require members, into conditions in `not`. Beside properties a generator reads a member
 * that is `false` as one of any type, and branches as the only content.
 */
function conditionsAsRefusals(schema: SchemaObject): SchemaObject {
  const { properties, anyOf, oneOf, ...rest } = schema;
  const members = Object.entries(properties ?? {});
  const forbidden = members.filter(([, value]) => value === false).map(([name]) => name);
  const possible = members.filter(([, value]) => value !== false);
  const isObject = schema.type === "object";
  const refused: Schema[] = forbidden.map((name) => ({
    ...(!isObject && { type: "object" }),
    required: [name],
  }));
  const kept: SchemaObject = { ...rest };
  if (possible.length > 0) kept.properties = Object.fromEntries(possible);
  for (const [keyword, branches] of Object.entries({ anyOf, oneOf })) {
    if (branches === undefined) continue;
    if (branches.every(isCondition)) refused.push({ not: { [keyword]: branches } });
    else kept[keyword] = branches;
  }
  return refusing(kept, refused);
}
