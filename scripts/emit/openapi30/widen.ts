import { type NamedSchemas, referredName, type Schema, type SchemaObject, walkSchema } from "../schema.ts";

/** The parts of a schema that OpenAPI 3.0 cannot express, each as a noun phrase with its keyword. */
export type Losses = string[];

/** Keywords that 3.0 cannot express. A schema without them accepts more. */
const UNSAID = [
  "patternProperties",
  "propertyNames",
  "unevaluatedProperties",
  "prefixItems",
  "unevaluatedItems",
  "minContains",
  "maxContains",
];
const NOWHERE = { document: "", pointer: "" };

/**
 * Returns the schema without the conditions that would refuse more as soon as a schema in them accepts more: `not` and `if` are omitted,
 * and at least one branch of `oneOf` must match.
 */
export function widen(schema: SchemaObject, named: NamedSchemas, losses: Losses): SchemaObject {
  const { not, if: condition, then, else: otherwise, oneOf, ...rest } = schema;
  const widened: SchemaObject = { ...schema };
  if (not !== undefined && acceptsMore(not as Schema, named)) {
    losses.push("what is refused (`not`)");
    delete widened.not;
  }
  if (condition !== undefined && acceptsMore(condition as Schema, named)) {
    losses.push("what holds under a condition (`if`)");
    for (const keyword of ["if", "then", "else"]) delete widened[keyword];
  }
  if (oneOf?.some((branch) => acceptsMore(branch, named))) {
    losses.push("that no more than one of the forms matches (`oneOf`)");
    delete widened.oneOf;
    if (rest.anyOf === undefined) widened.anyOf = oneOf;
    else widened.allOf = [...(rest.allOf ?? []), { anyOf: oneOf }];
  }
  return widened;
}

function acceptsMore(schema: Schema, named: NamedSchemas, seen = new Set<string>()): boolean {
  let found = false;
  walkSchema(schema, NOWHERE, (each) => {
    found ||= UNSAID.some((keyword) => keyword in each);
    const name = each.$ref === undefined ? undefined : referredName(each.$ref);
    if (found || name === undefined || seen.has(name)) return;
    seen.add(name);
    found = acceptsMore(named[name] ?? true, named, seen);
  });
  return found;
}
