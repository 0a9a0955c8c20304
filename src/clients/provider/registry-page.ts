import type { RegistryEntry } from "../../../generated/provider/types.ts";
import { isRegistryEntry } from "../../../generated/provider/validators.js";
import { type Answer, type ReadEntry, readEach, type Unavailable, unavailable } from "./answer.ts";

/** An answer that holds everybody, at somewhat below 1 kB a person with a work history. Bytes. */
export const LONGEST_REGISTRY = 8_000_000;

export interface RegistryPage {
  /** In the order of the page. One that breaks the contract costs only itself. */
  candidates: readonly ReadEntry<RegistryEntry>[];
  /** Undefined: the registry is complete. */
  nextCursor: string | undefined;
}

/** The page's frame must fit the contract (2.5); its entries are read one by one. */
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
