import { at, type Place, SpecFault } from "../fault.ts";
import { FORMATS } from "../formats.ts";
import { isLinear } from "../linear-pattern.ts";
import { isAnnotation, type Schema, type SchemaObject, walkSchema } from "../schema.ts";

/** The assertions and applicators of JSON Schema 2020-12 that the validators and the types can both carry. */
const KEYWORDS = new Set([
  "$ref",
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

/** Refuses, by name and place, keywords that would otherwise be ignored or fail inside Ajv. */
export function checkKeywords(schema: Schema, place: Place): void {
  walkSchema(schema, place, (object, where) => {
    for (const keyword of Object.keys(object)) {
      if (KEYWORDS.has(keyword) || isAnnotation(keyword)) continue;
      throw new SpecFault(
        at(where, keyword),
        `the keyword "${keyword}" is not supported`,
        "remove it or correct its spelling",
      );
    }
    checkFormat(object, where);
    checkPattern(object, where);
    checkRequired(object, where);
  });
}

function checkFormat(schema: SchemaObject, place: Place): void {
  if (schema.format === undefined || Object.hasOwn(FORMATS, schema.format)) return;
  const known = Object.keys(FORMATS).join(", ");
  throw new SpecFault(
    at(place, "format"),
    `the format "${schema.format}" is not known`,
    `use one of ${known}, or a pattern`,
  );
}

function checkPattern(schema: SchemaObject, place: Place): void {
  if (typeof schema.pattern === "string") checkExpression(schema.pattern, at(place, "pattern"));
  for (const name of Object.keys(schema.patternProperties ?? {})) {
    checkExpression(name, at(place, "patternProperties", name));
  }
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

function checkRequired(schema: SchemaObject, place: Place): void {
  if (schema.required === undefined || Array.isArray(schema.required)) return;
  throw new SpecFault(at(place, "required"), "'required' is no list", "write a list of property names");
}
