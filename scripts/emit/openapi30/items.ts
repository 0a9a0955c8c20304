import { isRecord, type Schema, type SchemaObject } from "../schema.ts";
import type { Losses } from "./widen.ts";

/** Items of an array (JSON Schema 2020-12 core, section 10.3.1). 3.0 requires `items` in every array. */
export function withItems(schema: SchemaObject, losses: Losses): SchemaObject {
  const { prefixItems, unevaluatedItems, ...rest } = schema;
  if (unevaluatedItems !== undefined) losses.push("which other items are allowed (`unevaluatedItems`)");
  const lowered = Array.isArray(prefixItems) ? withPrefix(rest, prefixItems, losses) : rest;
  const isArray = [lowered.type ?? []].flat().includes("array");
  return isArray && lowered.items === undefined ? { ...lowered, items: {} } : lowered;
}

/** Allows an item at any position to have the form of any other. */
function withPrefix(schema: SchemaObject, prefix: readonly Schema[], losses: Losses): SchemaObject {
  losses.push("which item has which form by its place (`prefixItems`)");
  const { items, ...rest } = schema;
  if (items === undefined) return rest;
  if (!isNothing(items)) return { ...rest, items: { anyOf: [...prefix, items] } };
  const most = Math.min(prefix.length, Number(rest.maxItems ?? prefix.length));
  return { ...rest, items: { anyOf: prefix }, maxItems: most };
}

/** `false` as 3.0 writes it. */
function isNothing(schema: Schema): boolean {
  return (
    isRecord(schema) && isRecord(schema.not) && Object.keys({ ...schema, ...schema.not }).join() === "not"
  );
}
