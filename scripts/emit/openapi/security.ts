import type { SpecDocument } from "../bundle.ts";
import { at, type Place, SpecFault } from "../fault.ts";
import { isRecord } from "../schema.ts";

export interface Security {
  /** Names of the security schemes that may be used; empty when anyone may call. */
  readonly security: readonly string[];
  /** The scopes or roles that the schemes require. */
  readonly scopes: readonly string[];
}

/**
 * Returns the security schemes of an operation, and the roles that they require (OpenAPI 3.1, section 4.8.30). The stub only needs to know
 * whether to call its `authenticate` hook; the rest is passed on for the hook and for tests.
 */
export function securityOf(value: unknown, document: SpecDocument, place: Place): Security {
  if (!Array.isArray(value)) return { security: [], scopes: [] };
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
    for (const scheme of schemes) names.add(scheme);
    for (const scope of Object.values(requirement).flat()) scopes.add(String(scope));
  }
  const declared = isRecord(document.root.components) ? document.root.components.securitySchemes : undefined;
  for (const name of names) {
    if (isRecord(declared) && name in declared) continue;
    throw new SpecFault(
      at(place, "security"),
      `the security scheme "${name}" does not exist`,
      "declare it in components",
    );
  }
  return { security: [...names], scopes: [...scopes] };
}
