import { checkKeywords } from "./ajv/keywords.ts";
import type { SpecDocument } from "./bundle.ts";
import { at, ensure, type Place } from "./fault.ts";
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
    if (typeof schema === "object") refuseCircle(schema, place, document.schemas);
  }
  // Only now: a circle would not end.
  for (const { schema, place } of schemasOf(document, operations))
    walkSchema(schema, place, (each, where) => checkUnevaluated(each, where, document.schemas));
}

/** Refuses a schema that applies itself to the same value: no value could be checked in finite time. */
function refuseCircle(schema: SchemaObject, place: Place, named: NamedSchemas): void {
  const seen = new Set<SchemaObject>();
  const follow = (each: SchemaObject): void => {
    for (const part of partsOf(each, named)) {
      const problem = "the schema applies itself to the same value";
      ensure(part !== schema, place, problem, "break the circle");
      if (!seen.has(part)) follow(seen.add(part) && part);
    }
  };
  follow(schema);
}

/** What Ajv does not keep account of. */
const UNCOUNTED = ["if", "contains", "items"];

function checkUnevaluated(schema: SchemaObject, place: Place, named: NamedSchemas): void {
  if (schema.unevaluatedItems === undefined) return;
  const applied = appliedIn(schema, named);
  // `items` in the schema itself leaves nothing over.
  const word = UNCOUNTED.find((each) =>
    (each === "items" ? applied : [schema, ...applied]).some((part) => part[each] !== undefined),
  );
  const problem = `"unevaluatedItems" is not supported beside "${word}"`;
  ensure(word === undefined, at(place, "unevaluatedItems"), problem, "write the items out");
}

/** Returns the schemas that apply to the same value. */
const appliedIn = (schema: SchemaObject, named: NamedSchemas): SchemaObject[] =>
  partsOf(schema, named).flatMap((part) => [part, ...appliedIn(part, named)]);

function partsOf(schema: SchemaObject, named: NamedSchemas): SchemaObject[] {
  const { $ref, allOf = [], anyOf = [], oneOf = [], dependentSchemas = {} } = schema;
  const target = $ref === undefined ? [] : [named[referredName($ref) ?? ""]];
  const others = [schema.if, schema.then, schema.else, schema.not, ...Object.values(dependentSchemas)];
  return [...target, ...allOf, ...anyOf, ...oneOf, ...others].filter(
    (part): part is SchemaObject => isSchema(part) && typeof part === "object",
  );
}
