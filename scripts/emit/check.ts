import { checkKeywords } from "./ajv/keywords.ts";
import type { SpecDocument } from "./bundle.ts";
import { at, ensure, type Faults, type Place, SpecFault } from "./fault.ts";
import { nearest } from "./nearest.ts";
import { inlineSchemas, type Operation } from "./openapi/paths.ts";
import {
  isRecord,
  isSchema,
  mapSubschemas,
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

/** Returns whether no schema runs in a circle: nothing that follows references would end. */
export function areFinite(document: SpecDocument, faults: Faults): boolean {
  const circles = schemasOf(document, []).map(({ schema, place }) =>
    faults.try(() => typeof schema === "boolean" || refuseCircle(schema, place, document.schemas)),
  );
  return !circles.includes(undefined);
}

export function checkSchemas(document: SpecDocument, operations: readonly Operation[], faults: Faults): void {
  for (const { schema, place } of schemasOf(document, operations)) {
    checkKeywords(schema, place, faults);
    walkSchema(schema, place, (each, where) =>
      faults.try(() => checkUnevaluated(each, where, document.schemas)),
    );
    checkRequired(schema, place, document.schemas, faults, []);
  }
}

/** Refuses a required member that nothing declares: its type would be unknown, and most are misspelt. */
function checkRequired(
  schema: Schema,
  place: Place,
  named: NamedSchemas,
  faults: Faults,
  around: readonly SchemaObject[],
): void {
  if (typeof schema === "boolean") return;
  const applied = [...around, schema, ...appliedIn(schema, named)];
  const names = applied.flatMap(({ properties = {} }) => Object.keys(properties));
  const isOpen = (part: SchemaObject) =>
    "patternProperties" in part ||
    isRecord(part.additionalProperties) ||
    isRecord(part.unevaluatedProperties);
  const isObject = schema.properties !== undefined || schema.type === "object";
  const missing = isObject && !applied.some(isOpen) ? (schema.required ?? []) : [];
  for (const name of missing.filter((each) => !names.includes(each))) {
    const word = nearest(name, names);
    const advice =
      word === undefined ? "add it to 'properties'" : `write "${word}", or add it to 'properties'`;
    faults.add(new SpecFault(at(place, "required"), `"${name}" is required, and no property`, advice));
  }
  mapSubschemas(schema, (below, steps) => {
    const isSame = SAME_VALUE.includes(String(steps[0]));
    if (steps[0] !== "not") checkRequired(below, at(place, ...steps), named, faults, isSame ? applied : []);
    return below;
  });
}

const SAME_VALUE = ["allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];

/** Refuses a schema that applies itself to the same value: no value could be checked in finite time. */
function refuseCircle(schema: SchemaObject, place: Place, named: NamedSchemas): true {
  const seen = new Set<SchemaObject>();
  const follow = (each: SchemaObject): void => {
    for (const part of partsOf(each, named)) {
      const problem = "the schema applies itself to the same value";
      ensure(part !== schema, place, problem, "break the circle");
      if (!seen.has(part)) follow(seen.add(part) && part);
    }
  };
  follow(schema);
  return true;
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
