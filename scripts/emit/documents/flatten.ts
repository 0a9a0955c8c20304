import { isAnnotation, type NamedSchemas, referredName, type Schema, type SchemaObject } from "../schema.ts";
import { merge } from "./merge.ts";

/** A chain of schemas that refer to each other ends here; deeper than any of ours. */
const MAX_DEPTH = 30;
/** What keeps a schema from being one object. */
const BLOCKING = ["$ref", "allOf", "unevaluatedProperties"];
/** Keywords that decide which members `unevaluatedProperties` is about. */
const EVALUATING = ["$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];

/**
 * The schema without `allOf`, and without `$ref` beside other keywords, where one object can say the same. A part that cannot be
 * merged stays in `allOf`. A single reference stays one (`named`), unless its content is asked for (`whole`).
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
    const whole = typeof part === "boolean" ? booleanContent(part) : resolve(part);
    const united = whole && merge(merged, withoutNotes(whole), resolve);
    if (united === undefined) left.push(part);
    else merged = united;
  }
  const all = merge(merged, own, resolve);
  if (all === undefined) return schema;
  return close({ ...all, ...unevaluated(schema), ...(left.length > 0 && { allOf: left }) });
}

const booleanContent = (part: boolean): SchemaObject | undefined => (part ? {} : undefined);

/** The schema with what it refers to drawn in; undefined if that leaves more than one object. */
function contentOf(schema: SchemaObject, named: NamedSchemas, depth: number): SchemaObject | undefined {
  const { $ref, allOf = [], ...own } = schema;
  const target = $ref === undefined ? undefined : named[referredName($ref) ?? ""];
  if ($ref !== undefined && typeof target !== "object") return undefined;
  const whole =
    typeof target === "object" ? { ...notesOf(target), ...own, allOf: [target, ...allOf] } : schema;
  const flat = flatten(whole, named, "whole", depth + 1);
  return BLOCKING.some((keyword) => keyword in flat) ? undefined : flat;
}

/** The annotations of a part are about itself. */
function withoutNotes(schema: SchemaObject): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !isAnnotation(keyword)));
}

function notesOf(schema: SchemaObject): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => isAnnotation(keyword)));
}

function isReference(schema: Schema | undefined): schema is SchemaObject {
  return typeof schema === "object" && schema.$ref !== undefined && Object.keys(schema).every(isNameOrNote);
}

const isNameOrNote = (keyword: string): boolean => keyword === "$ref" || isAnnotation(keyword);

function unevaluated({ unevaluatedProperties }: SchemaObject): SchemaObject {
  return unevaluatedProperties === undefined ? {} : { unevaluatedProperties };
}

/** Where every member is named in the schema itself, those not evaluated are the additional ones. */
function close(schema: SchemaObject): SchemaObject {
  const { unevaluatedProperties, ...rest } = schema;
  if (unevaluatedProperties === undefined || EVALUATING.some((keyword) => isEvaluating(keyword, schema))) {
    return schema;
  }
  return "additionalProperties" in rest ? rest : { ...rest, additionalProperties: unevaluatedProperties };
}

/** Branches that only ask for members by name evaluate none. */
function isEvaluating(keyword: string, schema: SchemaObject): boolean {
  const value = schema[keyword];
  if (value === undefined) return false;
  return !(Array.isArray(value) && value.every(isCondition));
}

/** A schema that says nothing of what its members hold. */
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
