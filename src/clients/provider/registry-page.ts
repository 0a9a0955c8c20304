import type { RegistryEntry } from "../../../generated/provider/types.ts";
import { isRegistryEntry } from "../../../generated/provider/validators.js";
import { isTooDeep, TOO_DEEP } from "../../runtime/json.ts";
import { parseJson, type ReadEntry, readEntry, type Unavailable, unavailable, whyUnread } from "./answer.ts";
import { LONGEST_RESPONSE, MOST_REGISTERED, tooMany } from "./limits.ts";
import { splitList } from "./split-list.ts";

export interface RegistryPage {
  /** In the order of the page. An entry that breaks the contract does not affect the others. */
  candidates: readonly ReadEntry<RegistryEntry>[];
  /** Undefined: the registry is complete. */
  nextCursor: string | undefined;
}

/** A page whose entries are parsed and validated one by one, when they are iterated. */
export interface OpenPage extends Pick<RegistryPage, "nextCursor"> {
  candidates: Iterable<ReadEntry<RegistryEntry>>;
  /** Of the candidates. */
  count: number;
}

/**
 * Reads a page. Its frame must fit the contract (2.5); its entries are read one by one. A provider without pages sends all people at
 * once, and the parsed form of such a text may be twenty times as long: only what is no longer than any other response is parsed at once.
 */
export function readPage(text: unknown): { kind: "page"; page: OpenPage } | Unavailable {
  const split = splitList(typeof text === "string" ? text : "", "candidates", MOST_REGISTERED);
  if (split.count > MOST_REGISTERED) return broken("/candidates", tooMany(MOST_REGISTERED));
  if (split.frame.length > LONGEST_RESPONSE)
    return broken("", `must be at most ${LONGEST_RESPONSE} characters long without its candidates`);
  if (isTooDeep(split.frame)) return broken("", TOO_DEEP);
  const frame = (parseJson(split.frame) ?? {}) as { candidates?: unknown; nextCursor?: unknown };
  const { candidates, nextCursor } = frame;
  if (!Array.isArray(candidates)) return broken("/candidates", "must be an array");
  if (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== "string")
    return broken("/nextCursor", "must be a string");
  // An empty cursor could not be sent (it has at least one character), so there is no next page.
  const { count } = split;
  const page = { candidates: entriesOf(split.entries), count, nextCursor: nextCursor || undefined };
  return { kind: "page", page };
}

function* entriesOf(texts: Iterable<string>): Generator<ReadEntry<RegistryEntry>> {
  for (const text of texts) yield entryOf(text);
}

function entryOf(text: string): ReadEntry<RegistryEntry> {
  if (text.length > LONGEST_RESPONSE)
    return { fault: { pointer: "", message: `is longer than ${LONGEST_RESPONSE} characters` } };
  const entry = parseJson(text);
  if (entry === undefined) return { fault: { pointer: "", message: whyUnread(text) } };
  return readEntry(entry, isRegistryEntry);
}

const broken = (pointer: string, message: string): Unavailable => ({
  ...unavailable(
    "contract_violation",
    `the registry breaks the contract: ${pointer || "the body"} ${message}`,
  ),
  pointers: [pointer],
});
