import { isObject } from "../json-object.ts";
import { dereferenced } from "./document.ts";

/** How many schemas are followed through `allOf`: the time stays proportional to the document, even where `allOf` leads back. */
const MOST_SCHEMAS = 32;

type Json = Record<string, unknown>;

interface Schema {
  /** Names of its own properties with `readOnly`. */
  readOnly: ReadonlySet<string>;
  allOf: readonly Json[];
}

/**
 * Adapts schemas to how the comparator uses them. A pact contains only the fields that the consumer reads, so the comparator drops
 * `required` from responses: then more than one branch of a `oneOf` may match, and `oneOf` becomes `anyOf`. In requests `required`
 * stays, but not for a property with `readOnly`, which OpenAPI requires in responses only.
 */
export function adapted(root: unknown, document: Json): unknown {
  const schemas = new Map<Json, Schema>();

  function schemaOf(value: Json): Schema {
    const schema = schemas.get(value) ?? read(value, document);
    schemas.set(value, schema);
    return schema;
  }

  /** Returns the schema, and those of its `allOf`, each once. */
  function withAllOf(value: Json): Schema[] {
    const seen = new Set([dereferenced(value, document)]);
    for (const each of seen) {
      for (const branch of schemaOf(each).allOf) if (seen.size < MOST_SCHEMAS) seen.add(branch);
    }
    return [...seen].map(schemaOf);
  }

  /** @param outer the schemas of the `allOf` that the value is written in */
  function adapt(value: unknown, outer?: readonly Schema[]): unknown {
    if (Array.isArray(value)) return value.map((each) => adapt(each, outer));
    if (!isObject(value)) return value;
    const { discriminator, required, ...rest } = value;
    const isComposed = Array.isArray(required) || Array.isArray(value.allOf);
    const schemas = outer ?? (isComposed ? withAllOf(value) : []);
    const entries = Object.entries(rest).map(([name, each]) => [
      name === "oneOf" && Array.isArray(each) ? "anyOf" : name,
      adapt(each, name === "allOf" ? schemas : undefined),
    ]);
    const isKept = (name: string) => !schemas.some(({ readOnly }) => readOnly.has(name));
    return {
      ...Object.fromEntries(entries),
      ...(discriminator !== undefined && !Array.isArray(value.oneOf) && { discriminator }),
      ...(required !== undefined && {
        required: Array.isArray(required) ? required.filter(isKept) : required,
      }),
    };
  }

  return adapt(root);
}

function read({ properties, allOf }: Json, document: Json): Schema {
  const isReadOnly = (property: unknown) =>
    (isObject(property) && property.readOnly === true) || dereferenced(property, document).readOnly === true;
  const own = Object.entries(isObject(properties) ? properties : {});
  const branches = Array.isArray(allOf) ? allOf.map((each) => dereferenced(each, document)) : [];
  return {
    readOnly: new Set(own.filter(([, property]) => isReadOnly(property)).map(([name]) => name)),
    allOf: [...new Set(branches)].slice(0, MOST_SCHEMAS),
  };
}
