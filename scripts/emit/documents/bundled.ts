import type { SpecDocument } from "../bundle.ts";
import { pointerSteps } from "../fault.ts";
import { FORMATS, OWN_FORMATS } from "../formats.ts";
import { valueAt } from "../located.ts";
import { isRecord, isSchema, mapRecord, mapSubschemas, type NamedSchemas, type Schema } from "../schema.ts";
import { plain } from "./plain.ts";

export type Document = Readonly<Record<string, unknown>>;

/** Returns the document as one file: every schema under its name in `components`, in forms that code generators understand. */
export function bundled({ published, schemas }: SpecDocument): Document {
  const own = isRecord(published.components) ? published.components : {};
  const whole = { ...published, components: { ...own, schemas } };
  return withSchemas(withoutTwins(whole), (schema) => publicFormats(plain(schema, schemas)));
}

/** Replaces the project's own formats, which other tools do not know, with their expressions. */
function publicFormats(schema: Schema): Schema {
  if (typeof schema === "boolean") return schema;
  const { format, ...rest } = mapSubschemas(schema, publicFormats);
  if (typeof format !== "string") return rest;
  return OWN_FORMATS.includes(format) ? { pattern: FORMATS[format]?.source, ...rest } : { ...rest, format };
}

/**
 * Some generators write a file for each schema and each named parameter, into one folder. A parameter `shiftId` and a schema `ShiftId`
 * would be one file on a case-insensitive file system, so such a parameter is written where it is used.
 */
function withoutTwins(document: Document): Document {
  const { schemas, parameters, ...others } = isRecord(document.components) ? document.components : {};
  if (!isRecord(schemas) || !isRecord(parameters)) return document;
  const names = new Set(Object.keys(schemas).map((name) => name.toLowerCase()));
  const isTwin = (name: string): boolean => names.has(name.toLowerCase());
  const isInlined = (reference: string): boolean => {
    const [, name] = /^#\/components\/parameters\/(.+)$/.exec(reference) ?? [];
    return name !== undefined && isTwin(name);
  };
  const kept = Object.fromEntries(Object.entries(parameters).filter(([name]) => !isTwin(name)));
  return { ...inlined(document, isInlined), components: { ...others, parameters: kept, schemas } };
}

/** Returns the schemas of `components` by name. */
export function namedIn({ components }: Document): NamedSchemas {
  const schemas = isRecord(components) && isRecord(components.schemas) ? components.schemas : {};
  const named = Object.entries(schemas).filter((entry): entry is [string, Schema] => isSchema(entry[1]));
  return Object.fromEntries(named);
}

/** Returns a copy whose schemas went through `change`. Examples are not schemas, even if they resemble one. */
export function withSchemas(document: Document, change: (schema: Schema) => Schema): Document {
  const { components, ...rest } = document;
  const { schemas, ...others } = isRecord(components) ? components : {};
  const named = isRecord(schemas) ? mapRecord(schemas, (each) => (isSchema(each) ? change(each) : each)) : {};
  const below = (value: Record<string, unknown>) => mapRecord(value, (item, key) => part(key, item, change));
  return { ...below(rest), components: { ...below(others), schemas: named } };
}

function part(key: string, value: unknown, change: (schema: Schema) => Schema): unknown {
  if (key === "example" || key === "examples") return value;
  if ((key === "schema" || key === "payload") && isSchema(value)) return change(value);
  if (Array.isArray(value)) return value.map((item) => part("", item, change));
  return isRecord(value) ? mapRecord(value, (item, below) => part(below, item, change)) : value;
}

/** Returns whether a copy of its target replaces a reference. */
type IsInlined = (reference: string, beside: Document) => boolean;

/** Returns a copy of the document without the references that `isInlined` selects; the keywords beside one apply to the copy. */
export function inlined(document: Document, isInlined: IsInlined): Document {
  const whole = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(whole);
    if (!isRecord(value)) return value;
    const { $ref, ...beside } = value;
    if (typeof $ref !== "string" || !isInlined($ref, beside)) {
      return mapRecord(value, (item, key) => (key === "example" || key === "examples" ? item : whole(item)));
    }
    const target = valueAt(document, pointerSteps($ref));
    return whole({ ...(isRecord(target) && target), ...beside });
  };
  return mapRecord(document, whole);
}
