import type { SpecDocument } from "../bundle.ts";
import { at, type Place, SpecFault } from "../fault.ts";
import { isRecord } from "../schema.ts";

/**
 * The security schemes of an operation (OpenAPI 3.1, section 4.8.30). The stub only needs to know whether to ask
 * its `authenticate` hook; which schemes there are is passed on for the hook and for tests.
 */
export function securityOf(value: unknown, document: SpecDocument, place: Place): string[] {
  if (!Array.isArray(value)) return [];
  const names = new Set<string>();
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
  return [...names];
}
