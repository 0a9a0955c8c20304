import { type Document, withSchemas } from "../documents/bundled.ts";
import { pointerSteps, valueAt } from "../reference.ts";
import { isRecord, isSchema, mapRecord, type NamedSchemas, type Schema } from "../schema.ts";
import { schema30 } from "./schema.ts";

const WEBHOOKS = "`webhooks` are under `x-webhooks`, because OpenAPI 3.0 has none.";

/** A bundled document of OpenAPI 3.1 in the words of 3.0.3. */
export function openapi30(document: Document): Document {
  const { openapi: _version, jsonSchemaDialect: _dialect, info, webhooks, ...rest } = document;
  const named = schemasOf(document);
  const lowered = withSchemas(
    { ...rest, ...(webhooks !== undefined && { "x-webhooks": webhooks }) },
    (schema) => schema30(schema, named),
  );
  const { components, ...whole } = mapRecord(lowered, (value) => withWholeReferences(value, lowered));
  const { pathItems: _items, ...parts } = isRecord(components) ? components : {};
  return {
    openapi: "3.0.3",
    info: info30(isRecord(info) ? info : {}, webhooks === undefined ? [] : [WEBHOOKS]),
    paths: {},
    ...whole,
    components: parts,
  };
}

function schemasOf({ components }: Document): NamedSchemas {
  const schemas = isRecord(components) && isRecord(components.schemas) ? components.schemas : {};
  return Object.fromEntries(
    Object.entries(schemas).filter((entry): entry is [string, Schema] => isSchema(entry[1])),
  );
}

/** 3.0 has no `summary` here, and knows a license by its address only. */
function info30(info: Record<string, unknown>, notes: readonly string[]): Record<string, unknown> {
  const { summary, description, license, ...rest } = info;
  const paragraphs = [summary, description, ...notes].filter((text) => typeof text === "string");
  return {
    ...rest,
    ...(paragraphs.length > 0 && { description: paragraphs.join("\n\n") }),
    ...(isRecord(license) && { license: license30(license) }),
  };
}

function license30({ identifier, ...license }: Record<string, unknown>): Record<string, unknown> {
  return identifier === undefined
    ? license
    : { ...license, url: `https://spdx.org/licenses/${identifier}.html` };
}

/** Where 3.1 lets a reference say more than its target, and a path refer to `pathItems`, the target stands in its place. */
function withWholeReferences(value: unknown, document: Document): unknown {
  if (Array.isArray(value)) return value.map((item) => withWholeReferences(item, document));
  if (!isRecord(value)) return value;
  const { $ref, ...beside } = value;
  const isKept =
    typeof $ref !== "string" ||
    (Object.keys(beside).length === 0 && !$ref.startsWith("#/components/pathItems/"));
  if (isKept)
    return mapRecord(value, (item, key) => (isExample(key) ? item : withWholeReferences(item, document)));
  const target = valueAt(document, pointerSteps($ref));
  return withWholeReferences({ ...(isRecord(target) && target), ...beside }, document);
}

const isExample = (key: string): boolean => key === "example" || key === "examples";
