import { isDeepStrictEqual } from "node:util";
import { NARROWER } from "../formats.ts";
import {
  all,
  isAnnotation,
  isRecord,
  only,
  type Schema,
  type SchemaObject,
  withoutNotes,
} from "../schema.ts";

/** Returns the content of a schema without `$ref` and `allOf`; undefined if there is none. */
export type Resolve = (schema: SchemaObject) => SchemaObject | undefined;

/** Undefined: one keyword cannot express both. */
type Combine = (left: never, right: never) => unknown;

const greater: Combine = (left: number, right: number) => Math.max(left, right);
const smaller: Combine = (left: number, right: number) => Math.min(left, right);
const never: Combine = () => undefined;

/** Merges a keyword of two schemas into one; other keywords cannot be merged. */
const COMBINE: Readonly<Record<string, Combine>> = {
  ...all(greater, "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"),
  ...all(smaller, "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"),
  uniqueItems: (left: boolean, right: boolean) => left || right,
  required: (left: string[], right: string[]) => [...new Set([...left, ...right])],
  type: (left: string | string[], right: string | string[]) => commonTypes([left].flat(), [right].flat()),
  enum: (left: unknown[], right: unknown[]) => {
    const common = left.filter((value) => right.some((each) => isDeepStrictEqual(value, each)));
    return common.length === 0 ? undefined : common;
  },
  format: (left: string, right: string) => {
    if (NARROWER[left] === right) return left;
    return NARROWER[right] === left ? right : undefined;
  },
  not: (left: Schema, right: Schema) => ({ anyOf: [left, right] }),
};

/** Keywords that depend on each other, so they only move together. */
const GROUPS = [
  ["if", "then", "else"],
  ["contains", "minContains", "maxContains"],
  ["prefixItems", "items", "unevaluatedItems"],
];
const MEMBERS = ["properties", "additionalProperties", "patternProperties"];
const isMember = (keyword: string): boolean => MEMBERS.includes(keyword);

/**
 * Returns one schema that accepts what both accept; undefined if that needs `allOf`. Where both have an annotation,
 * the right one's stays.
 */
export function merge(left: SchemaObject, right: SchemaObject, resolve: Resolve): SchemaObject | undefined {
  const members = mergeMembers(left, right, resolve);
  if (members === undefined || !groupsFit(left, right)) return undefined;
  const merged: SchemaObject = { ...left };
  for (const [keyword, value] of Object.entries(right)) {
    if (MEMBERS.includes(keyword)) continue;
    const combined = combine(keyword, left[keyword], value, resolve);
    if (combined === undefined) return undefined;
    merged[keyword] = combined;
  }
  for (const keyword of MEMBERS) delete merged[keyword];
  return { ...merged, ...members };
}

function combine(keyword: string, left: unknown, right: unknown, resolve: Resolve): unknown {
  if (left === undefined || isAnnotation(keyword) || isDeepStrictEqual(left, right)) return right;
  if (keyword === "items") return mergeValues(left as Schema, right as Schema, resolve);
  return (COMBINE[keyword] ?? never)(left as never, right as never);
}

/** Returns the merged schemas of the same value: one of them, a merged one, or both side by side. */
function mergeValues(left: Schema, right: Schema, resolve: Resolve): Schema {
  if (left === false || right === false) return false;
  if (isUnrestricted(left)) return right;
  if (isUnrestricted(right)) return left;
  if (typeof left === "boolean" || typeof right === "boolean") return true;
  if (isDeepStrictEqual(withoutNotes(left), withoutNotes(right))) return { ...left, ...right };
  const [first, second] = [resolve(left), resolve(right)];
  const merged = first && second && merge(first, second, resolve);
  if (merged === undefined) return { allOf: [left, right] };
  // A name is more useful than its content.
  const isMerged = (content: SchemaObject = {}) =>
    isDeepStrictEqual(withoutNotes(merged), withoutNotes(content));
  if (left.$ref !== undefined && isMerged(first)) return left;
  return right.$ref !== undefined && isMerged(second) ? right : merged;
}

function mergeMembers(left: SchemaObject, right: SchemaObject, resolve: Resolve): SchemaObject | undefined {
  const [inLeft, inRight] = [left, right].map((each) => MEMBERS.some((keyword) => keyword in each));
  if (!inLeft) return only(right, isMember);
  if (!inRight) return only(left, isMember);
  if ("patternProperties" in left || "patternProperties" in right) return undefined;
  const [others, otherOthers] = [othersOf(left), othersOf(right)];
  const names = [...new Set([...Object.keys(left.properties ?? {}), ...Object.keys(right.properties ?? {})])];
  const properties = names.map((name): [string, Schema] => {
    const value = mergeValues(member(left, name) ?? others, member(right, name) ?? otherOthers, resolve);
    return [name, value];
  });
  const additionalProperties = mergeValues(others, otherOthers, resolve);
  return {
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(!isUnrestricted(additionalProperties) && { additionalProperties }),
  };
}

function othersOf({ additionalProperties }: SchemaObject): Schema {
  return isRecord(additionalProperties) || additionalProperties === false ? additionalProperties : true;
}

function member({ properties = {} }: SchemaObject, name: string): Schema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function groupsFit(left: SchemaObject, right: SchemaObject): boolean {
  return GROUPS.every((group) => {
    const ofGroup = (schema: SchemaObject) => only(schema, (keyword) => group.includes(keyword));
    const [inLeft, inRight] = [ofGroup(left), ofGroup(right)];
    const [some, others] = [Object.keys(inLeft).join(), Object.keys(inRight).join()];
    const itemsAlone = some === "items" && others === "items";
    return some === "" || others === "" || itemsAlone || isDeepStrictEqual(inLeft, inRight);
  });
}

function commonTypes(left: readonly string[], right: readonly string[]): string | string[] | undefined {
  const holds = (types: readonly string[], type: string) =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  const common = [
    ...left.filter((type) => holds(right, type)),
    ...right.filter((type) => !left.includes(type) && holds(left, type)),
  ];
  return common.length > 1 ? common : common[0];
}

function isUnrestricted(schema: Schema): boolean {
  return schema === true || (typeof schema === "object" && Object.keys(schema).every(isAnnotation));
}
