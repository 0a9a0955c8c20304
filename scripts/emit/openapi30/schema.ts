import { isDeepStrictEqual } from "node:util";
import { type Document, inlined, namedIn, withSchemas } from "../documents/bundled.ts";
import { refusing } from "../documents/flatten.ts";
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

type Step = (schema: SchemaObject) => SchemaObject;

/** One step for each chapter of JSON Schema that differs in OpenAPI 3.0. */
const STEPS: readonly Step[] = [
  ...[withReferences, withConditions, withMembers, withItems],
  ...[exclusiveBounds, fixedValue, types, example],
];

/**
 * Returns a schema of OpenAPI 3.1 as a Schema Object of OpenAPI 3.0.3 (section 4.7.24) that accepts the same values. What 3.0 cannot
 * express is omitted, which never refuses more, and named in the description.
 */
function schema30(schema: Schema, named: NamedSchemas): SchemaObject {
  if (typeof schema === "boolean") return schema ? {} : { not: {} };
  const widened = CONDITIONS.filter(([keyword]) =>
    [schema[keyword] ?? []].flat().some((condition) => acceptsMore(condition, named)),
  );
  const below = mapSubschemas(
    without(
      schema,
      widened.map(([keyword]) => keyword),
    ),
    (each, [keyword]) =>
      keyword === "additionalProperties" && typeof each === "boolean" ? each : schema30(each, named),
  );
  const lowered = STEPS.reduce((each, step) => step(each), below);
  return described(lowered, [...widened.map(([, loss]) => loss), ...lossesOf(schema)]);
}

function described(schema: SchemaObject, losses: readonly string[]): SchemaObject {
  if (losses.length === 0) return schema;
  const note = `OpenAPI 3.0 cannot express: ${losses.join("; ")}.`;
  const { description } = schema;
  return { ...schema, description: description === undefined ? note : `${description}\n\n${note}` };
}

/** Conditions that refuse more as soon as a schema in them accepts more. */
const CONDITIONS = [
  ["not", "what is refused (`not`)"],
  ["if", "what holds under a condition (`if`)"],
  ["oneOf", "that no more than one of the forms matches (`oneOf`)"],
] as const;

/** Returns the schema without conditions; at least one branch of `oneOf` must still match. */
function without(schema: SchemaObject, conditions: readonly string[]): SchemaObject {
  const omitted = conditions.includes("if") ? [...conditions, "then", "else"] : conditions;
  const kept = only(schema, (keyword) => !omitted.includes(keyword));
  return omitted.includes("oneOf") ? withChoice(kept, schema.oneOf ?? []) : kept;
}

/** Adds a choice; beside another one, in `allOf`. */
function withChoice(schema: SchemaObject, anyOf: readonly Schema[]): SchemaObject {
  if (schema.anyOf === undefined) return { ...schema, anyOf };
  return { ...schema, allOf: [...(schema.allOf ?? []), { anyOf }] };
}

/** What OpenAPI 3.0 cannot express, by keyword, as a noun phrase. A schema without it accepts more. */
const LOSSES: Readonly<Record<string, (value: unknown, schema: SchemaObject) => string | false>> = {
  propertyNames: () => "what its members may be called (`propertyNames`)",
  contains: (_, { minContains = 1, maxContains }) =>
    (maxContains !== undefined || Number(minContains) > 1) &&
    "how many items are of one kind (`minContains`, `maxContains`)",
  unevaluatedProperties: (value) =>
    !isAnything(value) && "that no other members are allowed (`unevaluatedProperties`)",
  patternProperties: (value) => {
    const patterns = Object.keys(recordOf(value)).map((pattern) => `\`${pattern}\``);
    return `which members have which form by their names (\`patternProperties\`: ${patterns.join(", ")})`;
  },
  unevaluatedItems: () => "which other items are allowed (`unevaluatedItems`)",
  prefixItems: () => "which item has which form by its place (`prefixItems`)",
};

const lossesOf = (schema: SchemaObject): string[] =>
  Object.entries(LOSSES).flatMap(([keyword, lossOf]) =>
    schema[keyword] === undefined ? [] : lossOf(schema[keyword], schema) || [],
  );

function acceptsMore(schema: Schema, named: NamedSchemas, seen = new Set<string>()): boolean {
  let found = false;
  walkSchema(schema, { document: "", pointer: "" }, (each) => {
    found ||= lossesOf(each).length > 0;
    const name = each.$ref === undefined ? undefined : referredName(each.$ref);
    if (found || name === undefined || seen.has(name)) return;
    found = acceptsMore(named[name] ?? true, named, seen.add(name));
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
function withConditions(schema: SchemaObject): SchemaObject {
  const { if: condition, then, else: otherwise, dependentRequired, dependentSchemas, ...others } = schema;
  const { contains, minContains, maxContains: _most, propertyNames: _names, ...rest } = others;
  const lists = Object.entries(dependentRequired ?? {}).filter(([, names]) => names.length > 0);
  const dependent: [name: string, then: Schema][] = [
    ...lists.map(([name, required]): [string, Schema] => [name, { required }]),
    ...Object.entries(dependentSchemas ?? {}),
  ];
  return refusing(rest, [
    ...(condition && then ? [{ allOf: [condition, { not: then }] }] : []),
    ...(condition && otherwise ? [{ not: { anyOf: [condition, otherwise] } }] : []),
    ...dependent.map(([name, not]) => ({ type: "object", required: [name], not })),
    ...(contains && minContains !== 0 ? [{ type: "array", items: { not: contains } }] : []),
  ]);
}

/** Members of an object (JSON Schema 2020-12 core, sections 10.3.2 and 11). */
function withMembers(schema: SchemaObject): SchemaObject {
  const { patternProperties, unevaluatedProperties: _, ...rest } = schema;
  const lowered = patternProperties === undefined ? rest : withPatterns(rest, patternProperties);
  return lowered.required?.length === 0 ? only(lowered, (keyword) => keyword !== "required") : lowered;
}

/** Allows members of any name to have the form of any of the patterns. */
function withPatterns(schema: SchemaObject, patterns: NamedSchemas): SchemaObject {
  const { additionalProperties: others, ...rest } = schema;
  if (others === undefined || isAnything(others)) return rest;
  const forms = [...Object.values(patterns), ...(others === false ? [] : [others])];
  const [only = false, ...more] = forms;
  return { ...rest, additionalProperties: more.length === 0 ? only : { anyOf: forms } };
}

/** Items of an array (JSON Schema 2020-12 core, section 10.3.1). 3.0 requires `items` in every array. */
function withItems(schema: SchemaObject): SchemaObject {
  const { prefixItems, unevaluatedItems: _, ...rest } = schema;
  const lowered = prefixItems === undefined ? rest : withPrefix(rest, prefixItems);
  const isArray = [lowered.type].flat().includes("array");
  return isArray && lowered.items === undefined ? { ...lowered, items: {} } : lowered;
}

/** Allows an item at any position to have the form of any other. */
function withPrefix(schema: SchemaObject, prefix: readonly Schema[]): SchemaObject {
  const { items, ...rest } = schema;
  if (items === undefined) return rest;
  // `false` as 3.0 writes it.
  if (!isDeepStrictEqual(items, { not: {} })) return { ...rest, items: { anyOf: [...prefix, items] } };
  const most = Math.min(prefix.length, Number(rest.maxItems ?? prefix.length));
  return { ...rest, items: { anyOf: prefix }, maxItems: most };
}

function isAnything(schema: unknown): boolean {
  return schema === true || (isRecord(schema) && Object.keys(schema).length === 0);
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

/** Returns a bundled document of OpenAPI 3.1 as 3.0.3. */
export function openapi30(document: Document): Document {
  const { openapi: _version, info, ...rest } = document;
  const named = namedIn(document);
  const lowered = withSchemas(rest, (schema) => schema30(schema, named));
  const whole = inlined(lowered, isUnknownTo30);
  return { openapi: "3.0.3", info: info30(isRecord(info) ? info : {}), paths: {}, ...withoutRoles(whole) };
}

/** 3.1 allows keywords beside a reference. */
const isUnknownTo30 = (_reference: string, beside: object): boolean => Object.keys(beside).length > 0;

/** 3.0 allows scopes of OAuth 2 and OpenID Connect only: roles of other schemes are under `x-roles`. */
function withoutRoles(value: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (name === "security" && Array.isArray(member)) return security30(member);
    const isAbove = /^(?:paths|\/.*|get|put|post|delete|patch)$/.test(name) && isRecord(member);
    return [[name, isAbove ? withoutRoles(member) : member]];
  });
  return Object.fromEntries(members);
}

function security30(requirements: readonly object[]): [string, unknown][] {
  const roles = requirements.flatMap((requirement) => Object.values(requirement).flat());
  return [
    ["security", requirements.map(emptied)],
    ...(roles.length > 0 ? [["x-roles", roles] as [string, unknown]] : []),
  ];
}

const emptied = (names: object) => Object.fromEntries(Object.keys(names).map((name) => [name, []]));

/** 3.0 has no `summary` here, and identifies a license by its URL only. */
function info30(info: Record<string, unknown>): Record<string, unknown> {
  const { summary, description, license, ...rest } = info;
  const paragraphs = [summary, description].filter((text) => typeof text === "string");
  return {
    ...rest,
    ...(paragraphs.length > 0 && { description: paragraphs.join("\n\n") }),
    ...(isRecord(license) && { license: license30(license) }),
  };
}

function license30({ identifier, ...license }: Record<string, unknown>): Record<string, unknown> {
  return identifier === undefined
    ? license
    : { ...license, url: `https://spdx.org/licenses/${identifier}.html` };
}
