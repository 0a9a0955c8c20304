import type { RegistryEntry } from "../../../generated/provider/types.ts";
import { isRegistryEntry } from "../../../generated/provider/validators.js";
import { type Answer, type ReadEntry, readEach, type Unavailable, unavailable } from "./answer.ts";

/** The size limit of a whole registry, at somewhat below 1 kB for each person with a work history. Bytes. */
export const LONGEST_REGISTRY = 8_000_000;

export interface RegistryPage {
  /** In the order of the page. An entry that breaks the contract does not affect the others. */
  candidates: readonly ReadEntry<RegistryEntry>[];
  /** Undefined: the registry is complete. */
  nextCursor: string | undefined;
}

/** Reads a page. Its frame must fit the contract (2.5); its entries are read one by one. */
export function readPage({ body }: Answer): { kind: "page"; page: RegistryPage } | Unavailable {
  const { candidates, nextCursor } = (body ?? {}) as { candidates?: unknown; nextCursor?: unknown };
  if (!Array.isArray(candidates))
    return { ...broken("/candidates must be an array"), pointers: ["/candidates"] };
  if (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== "string") {
    return { ...broken("/nextCursor must be a string"), pointers: ["/nextCursor"] };
  }
  // An empty cursor could not be sent (it has at least one character), so there is no next page.
  const page = {
    candidates: readEach(candidates, isRegistryEntry),
    nextCursor: nextCursor || undefined,
  };
  return { kind: "page", page };
}

const broken = (what: string) =>
  unavailable("contract_violation", `the registry breaks the contract: ${what}`);
