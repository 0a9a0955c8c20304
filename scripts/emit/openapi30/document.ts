import { type Document, inlined, namedIn, withSchemas } from "../documents/bundled.ts";
import { isRecord } from "../schema.ts";
import { schema30 } from "./schema.ts";

/** Returns a bundled document of OpenAPI 3.1 as 3.0.3. */
export function openapi30(document: Document): Document {
  const { openapi: _version, info, ...rest } = document;
  const named = namedIn(document);
  const lowered = withSchemas(rest, (schema) => schema30(schema, named));
  const whole = inlined(lowered, isUnknownTo30);
  return { openapi: "3.0.3", info: info30(isRecord(info) ? info : {}), paths: {}, ...withoutRoles(whole) };
}

/** 3.1 allows keywords beside a reference. */
const isUnknownTo30 = (_reference: string, beside: object): boolean => Object.keys(beside).length > 0;

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
function info30(info: Record<string, unknown>): Record<string, unknown> {
  const { summary, description, license, ...rest } = info;
  const paragraphs = [summary, description].filter((text) => typeof text === "string");
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
