import { pointerSteps } from "../fault.ts";
import { FORMATS, OWN_FORMATS } from "../formats.ts";
import { valueAt } from "../located.ts";
import {
  isFree,
  isRecord,
  isSchema,
  mapRecord,
  mapSubschemas,
  type NamedSchemas,
  only,
  recordOf,
  referenceTo,
  referredName,
  type Schema,
} from "../schema.ts";
import { plain } from "./flatten.ts";

export type Document = Readonly<Record<string, unknown>>;

/** Returns the document as one file: every schema under its name in `components`, in forms that code generators understand. */
export function bundled(published: Document, schemas: NamedSchemas): Document {
  const whole = { ...published, components: { ...recordOf(published.components), schemas } };
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
  const { schemas, parameters, ...others } = recordOf(document.components);
  if (!isRecord(schemas) || !isRecord(parameters)) return document;
  const names = new Set(Object.keys(schemas).map((name) => name.toLowerCase()));
  const isTwin = (name: string): boolean => names.has(name.toLowerCase());
  const isInlined = (reference: string): boolean =>
    isTwin(/^#\/components\/parameters\/(.+)$/.exec(reference)?.[1] ?? "");
  const kept = only(parameters, (name) => !isTwin(name));
  return { ...inlined(document, isInlined), components: { ...others, parameters: kept, schemas } };
}

/** Returns the schemas of `components` by name. */
export function namedIn({ components }: Document): NamedSchemas {
  return recordOf(recordOf(components).schemas) as NamedSchemas;
}

/** Returns a copy whose schemas went through `change`. */
export function withSchemas(document: Document, change: (schema: Schema) => Schema): Document {
  const { components, ...rest } = document;
  const { schemas: _, ...others } = recordOf(components);
  const below = (value: Document): Document =>
    mapParts(value, (part, key) =>
      (key === "schema" || key === "payload") && isSchema(part) ? change(part) : undefined,
    );
  return { ...below(rest), components: { ...below(others), schemas: mapRecord(namedIn(document), change) } };
}

/** Returns a copy in which `change` replaced parts, unless it returned undefined. Examples and extensions stay, even if they resemble a part. */
function mapParts(document: Document, change: (part: unknown, key: string) => unknown): Document {
  const partOf = (part: unknown, key: string, holder: string): unknown => {
    if (isFree(key, holder)) return part;
    const changed = change(part, key);
    if (changed !== undefined) return changed;
    if (Array.isArray(part)) return part.map((item) => partOf(item, "", key));
    return isRecord(part) ? mapRecord(part, (item, name) => partOf(item, name, key)) : part;
  };
  return mapRecord(document, (part, key) => partOf(part, key, ""));
}

/** Returns whether a copy of its target replaces a reference. */
type IsInlined = (reference: string, beside: Document) => boolean;

/** Returns a copy of the document without the references that `isInlined` selects; the keywords beside one apply to the copy. */
export function inlined(document: Document, isInlined: IsInlined): Document {
  const whole = (part: unknown): unknown => {
    const { $ref, ...beside } = recordOf(part);
    if (typeof $ref !== "string" || !isInlined($ref, beside)) return undefined;
    const target = { ...recordOf(valueAt(document, pointerSteps($ref))), ...beside };
    return whole(target) ?? mapParts(target, whole);
  };
  return mapParts(document, whole);
}

/** Any other media type of content that is read. */
const ANY_TYPE = "*/*";

/** Returns the document for senders: each complete schema has the place and the name of the received one. */
export function sentView(document: Document, complete: ReadonlyMap<string, string>): Document {
  const all = namedIn(document);
  const sent = Object.fromEntries([...complete].map(([name, form]) => [name, all[form] ?? {}]));
  const renamed = new Map([...complete].map(([name, form]) => [referenceTo(form), referenceTo(name)]));
  return readView(rewritten(withNamed(document, { ...all, ...sent }), renamed));
}

function rewritten(document: Document, renamed: ReadonlyMap<string, string>): Document {
  return mapParts(document, (part, key) => {
    if (key === "$ref") return renamed.get(String(part));
    return key === "content" && isRecord(part) ? rewritten(labelled(part), renamed) : undefined;
  });
}

function labelled(content: Document): Document {
  const { [ANY_TYPE]: any, ...others } = content;
  return Object.keys(others).length > 0 ? others : { [ANY_TYPE]: any };
}

/** Returns the document for receivers: what may arrive, without the schemas that no reference leads to. */
export function readView(document: Document): Document {
  const all = namedIn(document);
  const kept = new Set<string>();
  const visit = (value: Document): unknown =>
    mapParts(value, (part, key) => {
      const name = key === "$ref" ? referredName(String(part)) : undefined;
      if (name === undefined || kept.has(name)) return undefined;
      kept.add(name);
      return visit({ schema: all[name] });
    });
  visit(withNamed(document, {}));
  return withNamed(
    document,
    only(all, (name) => kept.has(name)),
  );
}

function withNamed(document: Document, schemas: object): Document {
  return { ...document, components: { ...recordOf(document.components), schemas } };
}
