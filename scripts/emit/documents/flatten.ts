import {
  isAnnotation,
  isReference,
  mapSubschemas,
  type NamedSchemas,
  notesOf,
  only,
  referredName,
  type Schema,
  type SchemaObject,
  withoutNotes,
} from "../schema.ts";
import { merge } from "./merge.ts";

/** The limit of a chain of references between schemas; deeper than any in the project. */
const MAX_DEPTH = 30;
/** Keywords that prevent a schema from being one object. */
const BLOCKING = ["$ref", "allOf", "unevaluatedProperties"];
/** Keywords that decide which members `unevaluatedProperties` applies to. */
const EVALUATING = ["$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];

/**
 * Returns the schema without `allOf`, and without `$ref` beside other keywords, where one object is equivalent. A part that cannot be
 * merged stays in `allOf`. A single reference stays (`named`), unless its content is requested (`whole`).
 */
export function flatten(
  schema: SchemaObject,
  named: NamedSchemas,
  references: "named" | "whole" = "named",
  depth = 0,
): SchemaObject {
  const { allOf = [], $ref, unevaluatedProperties, ...own } = schema;
  const parts: readonly Schema[] = [...($ref === undefined ? [] : [{ $ref }]), ...allOf];
  if (parts.length === 0 || depth > MAX_DEPTH) return close(schema);
  const [first] = parts;
  const alone = parts.length === 1 && Object.keys({ ...own, ...unevaluated(schema) }).every(isAnnotation);
  if (alone && references === "named" && isReference(first)) return { ...first, ...own };
  const resolve = (value: SchemaObject) => contentOf(value, named, depth);
  const left: Schema[] = [];
  let merged: SchemaObject = {};
  for (const part of parts) {
    const whole = part === true ? {} : part && resolve(part);
    const united = whole && merge(merged, withoutNotes(whole), resolve);
    if (united) merged = united;
    else left.push(part);
  }
  const all = merge(merged, own, resolve);
  if (all === undefined) return schema;
  return close({ ...all, ...unevaluated(schema), ...(left.length > 0 && { allOf: left }) });
}

/** Returns the schema with its references included; undefined if that leaves more than one object. */
function contentOf(schema: SchemaObject, named: NamedSchemas, depth: number): SchemaObject | undefined {
  const { $ref, allOf = [], ...own } = schema;
  const target = $ref === undefined ? undefined : named[referredName($ref) ?? ""];
  if ($ref !== undefined && typeof target !== "object") return undefined;
  const whole =
    typeof target === "object" ? { ...notesOf(target), ...own, allOf: [target, ...allOf] } : schema;
  const flat = flatten(whole, named, "whole", depth + 1);
  return BLOCKING.some((keyword) => keyword in flat) ? undefined : flat;
}

/** Returns the schema's own `unevaluatedProperties`, which no part replaces. */
const unevaluated = (schema: SchemaObject): SchemaObject =>
  only(schema, (keyword) => keyword === "unevaluatedProperties");

/** Where the schema names every member, the unevaluated ones are the additional ones. */
function close(schema: SchemaObject): SchemaObject {
  const { unevaluatedProperties, ...rest } = schema;
  if (unevaluatedProperties === undefined || EVALUATING.some((keyword) => isEvaluating(keyword, schema))) {
    return schema;
  }
  return "additionalProperties" in rest ? rest : { ...rest, additionalProperties: unevaluatedProperties };
}

/** Returns whether the branches only require members by name, which evaluates none. */
function isEvaluating(keyword: string, schema: SchemaObject): boolean {
  const value = schema[keyword];
  if (value === undefined) return false;
  return !(Array.isArray(value) && value.every(isCondition));
}

/** Returns whether a schema does not describe the content of its members. */
function isCondition(schema: Schema): boolean {
  if (typeof schema === "boolean") return false;
  return Object.entries(schema).every(
    ([keyword, value]) =>
      keyword === "required" ||
      keyword === "not" ||
      (keyword === "type" && value === "object") ||
      isAnnotation(keyword),
  );
}

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
