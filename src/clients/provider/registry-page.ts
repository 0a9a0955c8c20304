import type { RegistryEntry } from "../../../generated/provider/types.ts";
import { isRegistryEntry } from "../../../generated/provider/validators.js";
import { type Answer, type ReadEntry, readEach, tooMany, type Unavailable, unavailable } from "./answer.ts";

/** The most people of one response: a provider without pages returns the whole registry (spec/provider.openapi.yaml). */
const MOST_PEOPLE = 50_000;
/** The size limit of such a response: it is parsed in one piece. Bytes. */
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
  if (candidates.length > MOST_PEOPLE)
    return { ...broken(`/candidates ${tooMany(MOST_PEOPLE)}`), pointers: ["/candidates"] };
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
