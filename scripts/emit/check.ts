import { checkKeywords } from "./ajv/keywords.ts";
import type { SpecDocument } from "./bundle.ts";
import { isCondition } from "./documents/flatten.ts";
import { at, type Place, SpecFault } from "./fault.ts";
import { inlineSchemas, type Operation } from "./openapi/paths.ts";
import {
  isSchema,
  type NamedSchemas,
  referredName,
  type Schema,
  type SchemaObject,
  walkSchema,
} from "./schema.ts";

export interface PlacedSchema {
  readonly schema: Schema;
  readonly place: Place;
}

/** Returns every schema of a document: the named ones in their files, and those inside operations. */
export function schemasOf(document: SpecDocument, operations: readonly Operation[]): PlacedSchema[] {
  const named = Object.entries(document.schemas).map(([name, schema]) => ({
    schema,
    place: document.origins.get(name) ?? { document: document.file, pointer: `/components/schemas/${name}` },
  }));
  return [...named, ...operations.flatMap(inlineSchemas)];
}

export function checkSchemas(document: SpecDocument, operations: readonly Operation[]): void {
  for (const { schema, place } of schemasOf(document, operations)) {
    checkKeywords(schema, place);
    walkSchema(schema, place, (each, where) => checkUnevaluated(each, where, document.schemas));
  }
}

/** What Ajv does not keep account of reliably, by the keyword that depends on it. */
const UNCOUNTED = {
  unevaluatedProperties: ["if"],
  unevaluatedItems: ["if", "contains", "items"],
} as const;

function checkUnevaluated(schema: SchemaObject, place: Place, named: NamedSchemas): void {
  for (const [keyword, uncounted] of Object.entries(UNCOUNTED)) {
    if (schema[keyword] === undefined) continue;
    const beside = [schema, ...appliedIn(schema, named)];
    const word = uncounted.find((each) =>
      // `items` in the schema itself leaves nothing over.
      (each === "items" ? beside.slice(1) : beside).some((part) => isUncounted(part[each])),
    );
    if (word !== undefined)
      throw new SpecFault(
        at(place, keyword),
        `"${keyword}" is not supported beside "${word}"`,
        "write the members out",
      );
  }
}

/** A condition that only requires members by name evaluates none. */
const isUncounted = (value: unknown): boolean =>
  value !== undefined && !(isSchema(value) && isCondition(value));

/** Returns the schemas that apply to the same value. */
function appliedIn(schema: SchemaObject, named: NamedSchemas, depth = 0): SchemaObject[] {
  const { $ref, allOf = [], anyOf = [], oneOf = [], dependentSchemas = {} } = schema;
  const target = $ref === undefined ? [] : [named[referredName($ref) ?? ""]];
  const conditions = [
    schema.if,
    schema.then,
    schema.else,
    schema.not,
    ...Object.values(dependentSchemas as object),
  ];
  const parts = [...target, ...allOf, ...anyOf, ...oneOf, ...conditions].filter(
    (part): part is SchemaObject => isSchema(part) && typeof part === "object",
  );
  return depth > MOST_NESTED ? [] : parts.flatMap((part) => [part, ...appliedIn(part, named, depth + 1)]);
}

/** References may run in a circle. */
const MOST_NESTED = 5;
