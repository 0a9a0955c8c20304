import { INHERITED } from "../ajv/keywords.ts";
import type { SpecDocument } from "../bundle.ts";
import { flatten } from "../documents/flatten.ts";
import { at, ensure, type Place, SpecFault } from "../fault.ts";
import { isSchema, recordOf, type Schema } from "../schema.ts";

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
  /** Several values are repeated names. */
  readonly list: "repeated" | undefined;
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
    for (const [index, item] of Array.isArray(list) ? list.entries() : []) {
      const place = at(owner.place, "parameters", index);
      const parameter = parameterOf(recordOf(item), owner.document, place);
      byKey.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  }
  const parameters = [...byKey.values()];
  refuseTemplateMismatch(path, parameters, owner.place);
  return parameters;
}

const isPlace = (where: unknown): where is ParameterPlace => Object.hasOwn(STYLES, String(where));

function parameterOf(item: Record<string, unknown>, document: SpecDocument, place: Place): Parameter {
  const { in: where, schema, style } = item;
  const name = String(item.name);
  const isInherited = INHERITED.includes(name);
  ensure(!isInherited, place, `a parameter called "${name}" is not supported`, "choose another name");
  const problem = `a parameter in "${String(where)}" is not supported`;
  ensure(isPlace(where), place, problem, "use path, query or header");
  const isReserved = where === "header" && RESERVED_HEADERS.has(name.toLowerCase());
  const advice = "use security or the media type for it";
  ensure(!isReserved, place, `the header ${name} cannot be a parameter`, advice);
  ensure(isSchema(schema), place, `the parameter "${name}" has no schema`, "give it a schema");
  const usual = STYLES[where];
  const isUsual = style === undefined || style === usual;
  ensure(isUsual, at(place, "style"), `style "${String(style)}" is not supported`, `use ${usual}`);
  const { scalar, list } = wireType(schema, document, at(place, "schema"));
  ensure(
    !list || (where === "query" && item.explode !== false),
    place,
    "values with commas between them are not supported",
    "repeat the name in the query: leave out explode",
  );
  const required = where === "path" || item.required === true;
  const repeats = list ? "repeated" : undefined;
  return { in: where, name, required, schema, type: scalar, list: repeats, place: at(place, "schema") };
}

type WireType = { scalar: ScalarType; list: boolean };

function wireType(schema: Schema, document: SpecDocument, place: Place): WireType {
  const flat = typeof schema === "object" ? flatten(schema, document.schemas, "whole") : {};
  const types = typesOf(flat, document);
  if (types.length === 1 && types[0] === "array")
    return { scalar: wireType(flat.items ?? {}, document, at(place, "items")).scalar, list: true };
  const [type = "string", ...others] = types;
  const isScalar = type === "string" || type === "integer" || type === "number" || type === "boolean";
  if (isScalar && others.length === 0 && flat.$ref === undefined && flat.allOf === undefined)
    return { scalar: type, list: false };
  throw new SpecFault(
    place,
    `a parameter of type ${types.join(" or ") || "unknown"} is not supported`,
    "use one type, a scalar or an array of scalars, and write it out",
  );
}

/** Returns the types that the values have beside null, which no text encodes; none if the schema does not restrict them. */
function typesOf(schema: Schema, document: SpecDocument): string[] {
  if (typeof schema === "boolean") return [];
  const { type, enum: values, anyOf = [], oneOf = [] } = flatten(schema, document.schemas, "whole");
  const stated = type === undefined ? [] : [type].flat();
  const listed = "const" in schema ? [schema.const] : (values ?? []);
  const branches = [...anyOf, ...oneOf].flatMap((branch) => typesOf(branch, document));
  const found = [stated, listed.map(typeOf), branches].find((types) => types.length > 0) ?? [];
  return [...new Set(found)].filter((each) => each !== "null");
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return Array.isArray(value) ? "array" : typeof value;
}

function refuseTemplateMismatch(path: string, parameters: readonly Parameter[], place: Place): void {
  const inTemplate = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name);
  const declared = parameters.filter((each) => each.in === "path").map(({ name }) => name);
  const undeclared = inTemplate.find((name) => !declared.includes(name));
  const unused = declared.find((name) => !inTemplate.includes(name));
  const odd = inTemplate.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  const adjacent = path.includes("}{") ? path : undefined;
  for (const [wrong, problem, advice] of [
    [undeclared, `the path parameter {${undeclared}} is not declared`, "add it to 'parameters'"],
    [unused, `the path ${path} has no {${unused}}`, "remove the parameter or put it into the path"],
    [adjacent, `the path ${path} has two parameters without a text between them`, "put a text there"],
    [odd, `the path parameter {${odd}} is not an identifier`, "use letters, digits and underscores"],
  ] as const)
    ensure(wrong === undefined, place, problem, advice);
}
