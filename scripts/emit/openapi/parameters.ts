import type { SpecDocument } from "../bundle.ts";
import { at, type Place, SpecFault } from "../fault.ts";
import { isRecord, isSchema, referredName, type Schema } from "../schema.ts";

export type ParameterPlace = "path" | "query" | "header";
export type ScalarType = "string" | "integer" | "number" | "boolean";

/** A Parameter Object (OpenAPI 3.1, section 4.8.12). */
export interface Parameter {
  readonly in: ParameterPlace;
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
  /** The type of the text on the wire. */
  readonly type: ScalarType;
  /** The form of several values: repeated names, one comma-separated text, or not at all. */
  readonly list: "repeated" | "commas" | undefined;
  readonly place: Place;
}

interface Owner {
  readonly document: SpecDocument;
  readonly place: Place;
}

/** OpenAPI 3.1, section 4.8.12.2.1: parameters with these names are ignored, so they must not be declared. */
const RESERVED_HEADERS = new Set(["accept", "content-type", "authorization"]);
const STYLES: Record<ParameterPlace, string> = { path: "simple", query: "form", header: "simple" };

/** Returns the parameters of an operation: those of its path item, overridden by its own. */
export function parametersOf(path: string, shared: unknown, own: unknown, owner: Owner): Parameter[] {
  const byKey = new Map<string, Parameter>();
  for (const list of [shared, own]) {
    if (!Array.isArray(list)) continue;
    for (const [index, item] of list.entries()) {
      const parameter = parameterOf(
        isRecord(item) ? item : {},
        owner.document,
        at(owner.place, "parameters", index),
      );
      byKey.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  }
  const parameters = [...byKey.values()];
  refuseTemplateMismatch(path, parameters, owner.place);
  return parameters;
}

function parameterOf(item: Record<string, unknown>, document: SpecDocument, place: Place): Parameter {
  const name = String(item.name);
  const where = item.in;
  if (where !== "path" && where !== "query" && where !== "header") {
    throw new SpecFault(
      place,
      `a parameter in "${String(where)}" is not supported`,
      "use path, query or header",
    );
  }
  if (where === "header" && RESERVED_HEADERS.has(name.toLowerCase())) {
    throw new SpecFault(
      place,
      `the header ${name} cannot be a parameter`,
      "use security or the media type for it",
    );
  }
  if (!isSchema(item.schema)) {
    throw new SpecFault(place, `the parameter "${name}" has no schema`, "give it a schema");
  }
  if (item.style !== undefined && item.style !== STYLES[where]) {
    throw new SpecFault(
      at(place, "style"),
      `style "${String(item.style)}" is not supported`,
      `use ${STYLES[where]}`,
    );
  }
  const schema = item.schema;
  const type = wireType(schema, document, at(place, "schema"));
  const repeated = where === "query" && item.explode !== false;
  return {
    in: where,
    name,
    required: where === "path" || item.required === true,
    schema,
    type: type.scalar,
    list: type.list ? (repeated ? "repeated" : "commas") : undefined,
    place: at(place, "schema"),
  };
}

function wireType(
  schema: Schema,
  document: SpecDocument,
  place: Place,
): { scalar: ScalarType; list: boolean } {
  const resolved = followReferences(schema, document);
  if (typeof resolved === "object" && resolved.type === "array") {
    return { scalar: wireType(resolved.items ?? {}, document, at(place, "items")).scalar, list: true };
  }
  const type = typeof resolved === "object" ? (resolved.type ?? "string") : "string";
  if (type === "string" || type === "integer" || type === "number" || type === "boolean") {
    return { scalar: type, list: false };
  }
  throw new SpecFault(
    place,
    `a parameter of type ${String(type)} is not supported`,
    "use one type, a scalar or an array of scalars",
  );
}

function followReferences(schema: Schema, document: SpecDocument): Schema {
  let current = schema;
  while (typeof current === "object" && current.$ref !== undefined) {
    current = document.schemas[referredName(current.$ref) ?? ""] ?? {};
  }
  return current;
}

function refuseTemplateMismatch(path: string, parameters: readonly Parameter[], place: Place): void {
  const inTemplate = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? "");
  const declared = parameters
    .filter((parameter) => parameter.in === "path")
    .map((parameter) => parameter.name);
  const undeclared = inTemplate.find((name) => !declared.includes(name));
  if (undeclared !== undefined) {
    throw new SpecFault(
      place,
      `the path parameter {${undeclared}} is not declared`,
      "add it to 'parameters'",
    );
  }
  const unused = declared.find((name) => !inTemplate.includes(name));
  if (unused !== undefined) {
    throw new SpecFault(
      place,
      `the path ${path} has no {${unused}}`,
      "remove the parameter or put it into the path",
    );
  }
  const odd = inTemplate.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (odd !== undefined) {
    throw new SpecFault(
      place,
      `the path parameter {${odd}} is no identifier`,
      "use letters, digits and underscores",
    );
  }
}
