import type { TokenPlace } from "../../../src/runtime/tokens.ts";
import type { SpecDocument } from "../bundle.ts";
import { at, ensure, type Place, SpecFault } from "../fault.ts";
import { recordOf } from "../schema.ts";

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
  const requirements = (Array.isArray(value) ? value : []).map(recordOf);
  const alternatives = requirements.map((requirement) => Object.keys(requirement));
  const isOptional = alternatives.some((schemes) => schemes.length === 0);
  const where = at(place, "security");
  ensure(!isOptional, where, "optional security is not supported", "write 'security: []' instead");
  const security = [...new Set(alternatives.flat())];
  const missing = security.find((name) => !Object.hasOwn(declaredSchemes(document), name));
  const problem = `the security scheme "${missing}" does not exist`;
  ensure(missing === undefined, where, problem, "declare it in components");
  const scopes = requirements.flatMap((requirement) => Object.values(requirement).flat().map(String));
  return { security, alternatives, scopes: [...new Set(scopes)] };
}

const declaredSchemes = ({ root }: SpecDocument) => recordOf(recordOf(root.components).securitySchemes);

/** Returns where a client puts the token of each security scheme. */
export function tokenPlaces(document: SpecDocument): Record<string, TokenPlace> {
  const place = { document: document.file, pointer: "/components/securitySchemes" };
  const entries = Object.entries(declaredSchemes(document)).filter(([name]) => !name.startsWith("x-"));
  return Object.fromEntries(entries.map(([name, scheme]) => [name, tokenPlace(scheme, at(place, name))]));
}

function tokenPlace(scheme: unknown, place: Place): TokenPlace {
  const { type, scheme: kind, in: where, name } = recordOf(scheme);
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
