import type { Schema, SchemaObject } from "../schema.ts";
import { isCondition } from "./flatten.ts";

/** Returns the schema, which also refuses what any of `refused` accepts. Code generators ignore `not`, and keep its siblings. */
export function refusing(schema: SchemaObject, refused: readonly Schema[]): SchemaObject {
  if (refused.length === 0) return schema;
  const { not, ...rest } = schema;
  const all = [...alternativesOf(not as Schema | undefined), ...refused];
  return { ...rest, not: all.length === 1 ? all[0] : { anyOf: all } };
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
export function conditionsAsRefusals(schema: SchemaObject): SchemaObject {
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
