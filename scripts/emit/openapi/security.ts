import type { TokenPlace } from "../../../src/runtime/tokens.ts";
import type { SpecDocument } from "../bundle.ts";
import { at, type Place, SpecFault } from "../fault.ts";
import { isRecord } from "../schema.ts";

export interface Security {
  /** Names of the security schemes that may be used; empty when anyone may call. */
  readonly security: readonly string[];
  /** The same as the document combines them: all schemes of one list are needed. */
  readonly alternatives: readonly (readonly string[])[];
  /** The scopes or roles that the schemes require. */
  readonly scopes: readonly string[];
}

/**
 * Returns the security schemes of an operation, and the roles that they require (OpenAPI 3.1, section 4.8.30). The stub only needs to know
 * whether to call its `authenticate` hook; the rest is passed on for the hook and for tests.
 */
export function securityOf(value: unknown, document: SpecDocument, place: Place): Security {
  if (!Array.isArray(value)) return { security: [], alternatives: [], scopes: [] };
  const alternatives: string[][] = [];
  const names = new Set<string>();
  const scopes = new Set<string>();
  for (const requirement of value) {
    const schemes = isRecord(requirement) ? Object.keys(requirement) : [];
    if (schemes.length === 0) {
      throw new SpecFault(
        at(place, "security"),
        "optional security is not supported",
        "write 'security: []' instead",
      );
    }
    alternatives.push(schemes);
    for (const scheme of schemes) names.add(scheme);
    for (const scope of Object.values(requirement).flat()) scopes.add(String(scope));
  }
  const declared = declaredSchemes(document);
  for (const name of names) {
    if (Object.hasOwn(declared, name)) continue;
    throw new SpecFault(
      at(place, "security"),
      `the security scheme "${name}" does not exist`,
      "declare it in components",
    );
  }
  return { security: [...names], alternatives, scopes: [...scopes] };
}

function declaredSchemes({ root }: SpecDocument): Record<string, unknown> {
  const { securitySchemes } = isRecord(root.components) ? root.components : {};
  return isRecord(securitySchemes) ? securitySchemes : {};
}

/** Returns where a client puts the token of each security scheme. */
export function tokenPlaces(document: SpecDocument): Record<string, TokenPlace> {
  const place = { document: document.file, pointer: "/components/securitySchemes" };
  const entries = Object.entries(declaredSchemes(document)).filter(([name]) => !name.startsWith("x-"));
  return Object.fromEntries(entries.map(([name, scheme]) => [name, tokenPlace(scheme, at(place, name))]));
}

function tokenPlace(scheme: unknown, place: Place): TokenPlace {
  const { type, scheme: kind, in: where, name } = isRecord(scheme) ? scheme : {};
  const isBearer = type === "http" && String(kind).toLowerCase() === "bearer";
  if (isBearer || type === "oauth2" || type === "openIdConnect")
    return { in: "header", name: "Authorization", prefix: "Bearer " };
  if (type === "apiKey" && (where === "header" || where === "query") && typeof name === "string")
    return { in: where, name, prefix: "" };
  throw new SpecFault(
    place,
    "a security scheme of this kind is not supported",
    "use http with bearer, apiKey with a name in header or query, oauth2 or openIdConnect",
  );
}
