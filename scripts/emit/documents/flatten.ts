import {
  isAnnotation,
  isReference,
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
export const unevaluated = (schema: SchemaObject): SchemaObject =>
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
export function isCondition(schema: Schema): boolean {
  if (typeof schema === "boolean") return false;
  return Object.entries(schema).every(
    ([keyword, value]) =>
      keyword === "required" ||
      keyword === "not" ||
      (keyword === "type" && value === "object") ||
      isAnnotation(keyword),
  );
}
