import { type Document, namedIn, withSchemas } from "../documents/bundled.ts";
import { inlined } from "../documents/inlined.ts";
import { isRecord } from "../schema.ts";
import { schema30 } from "./schema.ts";

const WEBHOOKS = "`webhooks` are under `x-webhooks`, because OpenAPI 3.0 has none.";

/** Returns a bundled document of OpenAPI 3.1 as 3.0.3. */
export function openapi30(document: Document): Document {
  const { openapi: _version, jsonSchemaDialect: _dialect, info, webhooks, ...rest } = document;
  const named = namedIn(document);
  const lowered = withSchemas(
    { ...rest, ...(webhooks !== undefined && { "x-webhooks": webhooks }) },
    (schema) => schema30(schema, named),
  );
  const { components, ...whole } = inlined(lowered, isUnknownTo30);
  const { pathItems: _items, ...parts } = isRecord(components) ? components : {};
  return {
    openapi: "3.0.3",
    info: info30(isRecord(info) ? info : {}, webhooks === undefined ? [] : [WEBHOOKS]),
    paths: {},
    ...withoutRoles(whole),
    components: parts,
  };
}

/** 3.1 allows keywords beside a reference, and lets a path refer to `pathItems`. */
function isUnknownTo30(reference: string, beside: object): boolean {
  return Object.keys(beside).length > 0 || reference.startsWith("#/components/pathItems/");
}

/** 3.0 allows scopes of OAuth 2 and OpenID Connect only: roles of other schemes are under `x-roles`. */
function withoutRoles(value: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (name === "security" && Array.isArray(member)) return security30(member);
    const isAbove = /^(?:paths|\/.*|get|put|post|delete|patch)$/.test(name) && isRecord(member);
    return [[name, isAbove ? withoutRoles(member) : member]];
  });
  return Object.fromEntries(members);
}

function security30(requirements: readonly object[]): [string, unknown][] {
  const roles = requirements.flatMap((requirement) => Object.values(requirement).flat());
  return [
    ["security", requirements.map(emptied)],
    ...(roles.length > 0 ? [["x-roles", roles] as [string, unknown]] : []),
  ];
}

const emptied = (names: object) => Object.fromEntries(Object.keys(names).map((name) => [name, []]));

/** 3.0 has no `summary` here, and identifies a license by its URL only. */
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
