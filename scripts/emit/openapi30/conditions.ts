import { refusing } from "../documents/refusals.ts";
import { isRecord, type Schema, type SchemaObject } from "../schema.ts";
import type { Losses } from "./widen.ts";

/** Returns conditions, for which 3.1 has separate keywords, as values to refuse. */
export function withConditions(schema: SchemaObject, losses: Losses): SchemaObject {
  const { if: condition, then, else: otherwise, dependentRequired, dependentSchemas, ...others } = schema;
  const { contains, minContains, maxContains, propertyNames, ...rest } = others;
  if (propertyNames !== undefined) losses.push("what its members may be called (`propertyNames`)");
  return refusing(rest, [
    ...ifRefusals(
      condition as Schema | undefined,
      then as Schema | undefined,
      otherwise as Schema | undefined,
    ),
    ...dependentRefusals(dependentRequired, dependentSchemas),
    ...containsRefusals({ contains, minContains, maxContains }, losses),
  ]);
}

function ifRefusals(condition?: Schema, then?: Schema, otherwise?: Schema): Schema[] {
  if (condition === undefined) return [];
  return [
    ...(then === undefined ? [] : [{ allOf: [condition, { not: then }] }]),
    ...(otherwise === undefined ? [] : [{ not: { anyOf: [condition, otherwise] } }]),
  ];
}

function dependentRefusals(required: unknown, schemas: unknown): Schema[] {
  const names = Object.entries(isRecord(required) ? required : {}) as [string, string[]][];
  const dependent = Object.entries(isRecord(schemas) ? schemas : {}) as [string, Schema][];
  const all: [string, Schema][] = [
    ...names
      .filter(([, list]) => list.length > 0)
      .map(([name, list]): [string, Schema] => [name, { required: list }]),
    ...dependent,
  ];
  return all.map(([name, then]) => ({ type: "object", required: [name], not: then }));
}

function containsRefusals({ contains, minContains, maxContains }: SchemaObject, losses: Losses): Schema[] {
  if (contains === undefined) return [];
  const [least, isCounted] = [minContains ?? 1, maxContains !== undefined || Number(minContains ?? 1) > 1];
  if (isCounted) losses.push("how many items are of one kind (`minContains`, `maxContains`)");
  return least === 0 ? [] : [{ type: "array", items: { not: contains as Schema } }];
}
