import { Ajv2020 } from "ajv/dist/2020.js";
import { at, type Place, SpecFault } from "../fault.ts";
import { FORMATS } from "../formats.ts";
import { isLinear } from "../linear-pattern.ts";
import { nearest } from "../nearest.ts";
import { hasType } from "../overlap/scalars.ts";
import {
  ANNOTATIONS,
  COMPLETES,
  isAnnotation,
  type Schema,
  type SchemaObject,
  walkSchema,
} from "../schema.ts";

/** The assertions and applicators of JSON Schema 2020-12 that the validators and the types can both carry. */
export const KEYWORDS = new Set([
  "$ref",
  "$defs",
  "type",
  "enum",
  "const",
  "format",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "items",
  "prefixItems",
  "contains",
  "minContains",
  "maxContains",
  "minItems",
  "maxItems",
  "uniqueItems",
  "unevaluatedItems",
  "properties",
  "patternProperties",
  "additionalProperties",
  "propertyNames",
  "required",
  "minProperties",
  "maxProperties",
  "dependentRequired",
  "dependentSchemas",
  "unevaluatedProperties",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
]);

/** Keywords that the generated code would not heed, and what to write instead. */
export const UNSUPPORTED: Readonly<Record<string, string>> = {
  readOnly: "name two schemas, of requests and of responses",
  writeOnly: "name two schemas, of requests and of responses",
  discriminator: "give each variant a property with another const",
  nullable: 'write type: [string, "null"]',
  xml: "use JSON",
  [COMPLETES]: "write it directly in a named schema",
};

const metaSchema = new Ajv2020({ strict: false, logger: false });

/** Refuses, by name and place, keywords that would otherwise be ignored or fail inside Ajv, and values that they cannot have. */
export function checkKeywords(schema: Schema, place: Place): void {
  walkSchema(schema, place, (object, where) => {
    for (const keyword of Object.keys(object)) {
      if (KEYWORDS.has(keyword) || isAnnotation(keyword)) continue;
      const word = nearest(keyword, [...KEYWORDS, ...ANNOTATIONS, COMPLETES]);
      const advice =
        UNSUPPORTED[keyword] ?? (word === undefined ? "remove it" : `write "${word}", or remove it`);
      throw new SpecFault(at(where, keyword), `the keyword "${keyword}" is not supported`, advice);
    }
    checkFormat(object, where);
    checkPattern(object, where);
    checkNames(object, where);
    checkValues(object, where);
  });
  if (metaSchema.validateSchema(schema) === true) return;
  const [error] = metaSchema.errors ?? [];
  const below = { document: place.document, pointer: place.pointer + (error?.instancePath ?? "") };
  const allowed = error?.params.allowedValues ?? error?.params.type;
  const advice =
    allowed === undefined ? "correct it (JSON Schema 2020-12)" : `write ${[allowed].flat().join(", ")}`;
  throw new SpecFault(below, `this ${error?.message ?? "is no schema"}`, advice);
}

function checkFormat(schema: SchemaObject, place: Place): void {
  if (schema.format === undefined || Object.hasOwn(FORMATS, schema.format)) return;
  const known = Object.keys(FORMATS).join(", ");
  throw new SpecFault(
    at(place, "format"),
    `the format "${schema.format}" is not known`,
    schema.format === "int64"
      ? "write a text with a pattern: readers of JSON round integers beyond 2^53"
      : `use one of ${known}, or a pattern`,
  );
}

function checkPattern(schema: SchemaObject, place: Place): void {
  if (typeof schema.pattern === "string") checkExpression(schema.pattern, at(place, "pattern"));
  for (const name of Object.keys(schema.patternProperties ?? {})) {
    checkExpression(name, at(place, "patternProperties", name));
  }
}

/** Refuses listed values that the type excludes, and a type that the list excludes: one of the two is a mistake. */
function checkValues(schema: SchemaObject, place: Place): void {
  const { type, enum: listed } = schema;
  const fault = (keyword: string, problem: string, advice: string) =>
    new SpecFault(at(place, keyword), problem, advice);
  if (listed?.length === 0)
    throw fault("enum", "an empty enum accepts nothing", "list the values, or write false");
  for (const [keyword, values] of [
    ["enum", listed ?? []],
    ["const", "const" in schema ? [schema.const] : []],
  ] as const) {
    const wrong = values.find((value) => !hasType(value, type));
    if (wrong !== undefined)
      throw fault(
        keyword,
        `${JSON.stringify(wrong)} is not of type ${[type].flat().join(" or ")}`,
        "remove it, or add its type",
      );
  }
  if (type?.includes("null") && listed?.includes(null) === false)
    throw fault(
      "enum",
      "null is of the type, and not in the enum",
      "add null to the enum, or remove it from the type",
    );
}

/** Every object of JavaScript seems to have these members. */
export const INHERITED = Object.getOwnPropertyNames(Object.prototype);

function checkNames(schema: SchemaObject, place: Place): void {
  const { properties = {}, required = [], dependentRequired = {}, dependentSchemas = {} } = schema;
  const names = [properties, dependentRequired, dependentSchemas].flatMap((each) =>
    Object.keys(each as object),
  );
  const name = [...names, ...required].find((each) => INHERITED.includes(each));
  if (name === undefined) return;
  throw new SpecFault(
    place,
    `a property called "${name}" is not supported`,
    "choose another name: each object of JavaScript has one",
  );
}

function checkExpression(source: string, place: Place): void {
  const expression = expressionOf(source);
  if (expression === undefined)
    throw new SpecFault(place, `${source} is no regular expression`, "correct it (ECMAScript, flag u)");
  if (isLinear(expression)) return;
  throw new SpecFault(
    place,
    `${source} may take more than linear time on a long text`,
    "anchor it with ^, bound its repetitions ({1,99}), and let no two repetitions in a row match the same characters",
  );
}

function expressionOf(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "u");
  } catch {
    return undefined;
  }
}
