import { refusing } from "../documents/plain.ts";
import {
  isRecord,
  mapSubschemas,
  type NamedSchemas,
  only,
  recordOf,
  referredName,
  type Schema,
  type SchemaObject,
  walkSchema,
} from "../schema.ts";

type Step = (schema: SchemaObject, losses: Losses) => SchemaObject;

/** One step for each chapter of JSON Schema that differs in OpenAPI 3.0. */
const STEPS: readonly Step[] = [withReferences, withConditions, withMembers, withItems, withValues];

/**
 * Returns a schema of OpenAPI 3.1 as a Schema Object of OpenAPI 3.0.3 (section 4.7.24) that accepts the same values. What 3.0 cannot
 * express is omitted, which never refuses more, and named in the description.
 */
export function schema30(schema: Schema, named: NamedSchemas): SchemaObject {
  if (typeof schema === "boolean") return schema ? {} : { not: {} };
  const losses: Losses = [];
  const below = mapSubschemas(widen(schema, named, losses), (each, [keyword]) =>
    keyword === "additionalProperties" && typeof each === "boolean" ? each : schema30(each, named),
  );
  const lowered = STEPS.reduce((each, step) => step(each, losses), below);
  return described(lowered, losses);
}

function described(schema: SchemaObject, losses: Losses): SchemaObject {
  if (losses.length === 0) return schema;
  const note = `OpenAPI 3.0 cannot express: ${losses.join("; ")}.`;
  const { description } = schema;
  return { ...schema, description: description === undefined ? note : `${description}\n\n${note}` };
}

/** The parts of a schema that OpenAPI 3.0 cannot express, each as a noun phrase with its keyword. */
type Losses = string[];

/** Keywords that 3.0 cannot express. A schema without them accepts more. */
const UNSAID = [
  ...["patternProperties", "propertyNames", "unevaluatedProperties"],
  ...["prefixItems", "unevaluatedItems", "minContains", "maxContains"],
];
/** Conditions that refuse more as soon as a schema in them accepts more, and the keywords that are omitted with them. */
const CONDITIONS = [
  ["not", "what is refused (`not`)", ["not"]],
  ["if", "what holds under a condition (`if`)", ["if", "then", "else"]],
] as const;
const NOWHERE = { document: "", pointer: "" };

/**
 * Returns the schema without the conditions that would refuse more as soon as a schema in them accepts more: `not` and `if` are omitted,
 * and at least one branch of `oneOf` must match.
 */
function widen(schema: SchemaObject, named: NamedSchemas, losses: Losses): SchemaObject {
  const { oneOf, ...widened } = schema;
  for (const [keyword, loss, omitted] of CONDITIONS) {
    const condition = schema[keyword];
    if (condition === undefined || !acceptsMore(condition as Schema, named)) continue;
    losses.push(loss);
    for (const each of omitted) delete widened[each];
  }
  if (oneOf === undefined) return widened;
  if (!oneOf.some((branch) => acceptsMore(branch, named)))
    return only(schema, (key) => key === "oneOf" || key in widened);
  losses.push("that no more than one of the forms matches (`oneOf`)");
  return withChoice(widened, oneOf);
}

/** Adds a choice; beside another one, in `allOf`. */
function withChoice(schema: SchemaObject, anyOf: readonly Schema[]): SchemaObject {
  if (schema.anyOf === undefined) return { ...schema, anyOf };
  return { ...schema, allOf: [...(schema.allOf ?? []), { anyOf }] };
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

/** Moves the keywords beside `$ref`, which a reader of 3.0 ignores. */
function withReferences(schema: SchemaObject): SchemaObject {
  const { $ref, ...rest } = schema;
  if ($ref === undefined || Object.keys(rest).length === 0) return schema;
  return { ...rest, allOf: [{ $ref }, ...(rest.allOf ?? [])] };
}

/** Returns conditions, for which 3.1 has separate keywords, as values to refuse. */
function withConditions(schema: SchemaObject, losses: Losses): SchemaObject {
  const { if: condition, then, else: otherwise, dependentRequired, dependentSchemas, ...others } = schema;
  const { contains, minContains, maxContains, propertyNames, ...rest } = others;
  if (propertyNames !== undefined) losses.push("what its members may be called (`propertyNames`)");
  return refusing(rest, [
    ...ifRefusals({ condition, then, otherwise } as Conditional),
    ...dependentRefusals(dependentRequired, dependentSchemas),
    ...containsRefusals({ contains, minContains, maxContains }, losses),
  ]);
}

type Conditional = { readonly [Part in "condition" | "then" | "otherwise"]?: Schema };

function ifRefusals({ condition, then, otherwise }: Conditional): Schema[] {
  if (condition === undefined) return [];
  return [
    ...(then === undefined ? [] : [{ allOf: [condition, { not: then }] }]),
    ...(otherwise === undefined ? [] : [{ not: { anyOf: [condition, otherwise] } }]),
  ];
}

function dependentRefusals(required: unknown, schemas: unknown): Schema[] {
  const names = Object.entries(recordOf(required) as Record<string, string[]>);
  const lists = names.filter(([, list]) => list.length > 0);
  const dependent = [
    ...lists.map(([name, list]) => [name, { required: list }] as const),
    ...Object.entries(recordOf(schemas) as NamedSchemas),
  ];
  return dependent.map(([name, then]) => ({ type: "object", required: [name], not: then }));
}

function containsRefusals({ contains, minContains, maxContains }: SchemaObject, losses: Losses): Schema[] {
  if (contains === undefined) return [];
  const [least, isCounted] = [minContains ?? 1, maxContains !== undefined || Number(minContains ?? 1) > 1];
  if (isCounted) losses.push("how many items are of one kind (`minContains`, `maxContains`)");
  return least === 0 ? [] : [{ type: "array", items: { not: contains as Schema } }];
}

/** Members of an object (JSON Schema 2020-12 core, sections 10.3.2 and 11). */
function withMembers(schema: SchemaObject, losses: Losses): SchemaObject {
  const { patternProperties, unevaluatedProperties, ...rest } = schema;
  if (unevaluatedProperties !== undefined && !isAnything(unevaluatedProperties)) {
    losses.push("that no other members are allowed (`unevaluatedProperties`)");
  }
  const lowered = isRecord(patternProperties) ? withPatterns(rest, patternProperties, losses) : rest;
  const { required, ...optional } = lowered;
  return required?.length === 0 ? optional : lowered;
}

/** Allows members of any name to have the form of any of the patterns. */
function withPatterns(schema: SchemaObject, patterns: Record<string, unknown>, losses: Losses): SchemaObject {
  const names = Object.keys(patterns);
  losses.push(
    `which members have which form by their names (\`patternProperties\`: ${names.map(code).join(", ")})`,
  );
  const { additionalProperties, ...rest } = schema;
  if (additionalProperties === undefined || isAnything(additionalProperties)) return rest;
  const others = additionalProperties === false ? [] : [additionalProperties as Schema];
  const forms = [...(Object.values(patterns) as Schema[]), ...others];
  return { ...rest, additionalProperties: forms.length === 1 ? forms[0] : { anyOf: forms } };
}

const code = (text: string): string => `\`${text}\``;

function isAnything(schema: unknown): boolean {
  return schema === true || (isRecord(schema) && Object.keys(schema).length === 0);
}

/** Items of an array (JSON Schema 2020-12 core, section 10.3.1). 3.0 requires `items` in every array. */
function withItems(schema: SchemaObject, losses: Losses): SchemaObject {
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

/** Converts types, numbers, fixed values and examples. */
function withValues(schema: SchemaObject): SchemaObject {
  return [exclusiveBounds, fixedValue, types, example].reduce((each, step) => step(each), schema);
}

const BOUNDS = [
  ["minimum", "exclusiveMinimum", Math.max],
  ["maximum", "exclusiveMaximum", Math.min],
] as const;

/** 3.0 has a bound and a flag for whether it is inclusive. */
function exclusiveBounds(schema: SchemaObject): SchemaObject {
  return BOUNDS.reduce<SchemaObject>((lowered, [name, exclusiveName, stricterOf]) => {
    const { [name]: inclusive, [exclusiveName]: exclusive, ...rest } = lowered;
    if (inclusive === undefined && exclusive === undefined) return lowered;
    const bound = stricterOf(Number(inclusive ?? exclusive), Number(exclusive ?? inclusive));
    return { ...rest, [name]: bound, ...(bound === exclusive && { [exclusiveName]: true }) };
  }, schema);
}

function fixedValue(schema: SchemaObject): SchemaObject {
  if (!("const" in schema)) return schema;
  const { const: only, ...rest } = schema;
  const { enum: values = [only] } = rest;
  const left = values.filter((value) => JSON.stringify(value) === JSON.stringify(only));
  return left.length > 0 ? { ...rest, enum: left } : { ...rest, not: {} };
}

/** 3.0 supports one type and `nullable`, which applies only beside a type. */
function types(schema: SchemaObject): SchemaObject {
  const { type, ...rest } = schema;
  if (type === undefined || typeof type === "string") {
    return type === "null" ? { ...rest, ...NOTHING_BUT_NULL } : schema;
  }
  const isNullable = type.includes("null") && (schema.enum === undefined || schema.enum.includes(null));
  const [first, ...more] = type.filter((each) => each !== "null");
  if (first === undefined) return { ...rest, ...NOTHING_BUT_NULL };
  const one = { type: first, ...(isNullable && { nullable: true }) };
  if (more.length === 0) return { ...one, ...rest };
  const choice = [first, ...more].map((each) => ofType(each, each === first ? one : { type: each }));
  return withChoice(rest, choice);
}

const NOTHING_BUT_NULL: SchemaObject = { type: "string", nullable: true, enum: [null] };

const ofType = (type: string, schema: SchemaObject): SchemaObject =>
  type === "array" ? { ...schema, items: {} } : schema;

function example(schema: SchemaObject): SchemaObject {
  const { examples, $comment, ...rest } = schema;
  if (!Array.isArray(examples)) return rest;
  return examples.length === 0 || "example" in rest ? rest : { ...rest, example: examples[0] };
}
