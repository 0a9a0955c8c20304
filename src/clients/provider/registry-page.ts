import type { RegistryEntry } from "../../../generated/provider/types.ts";
import { isRegistryEntry } from "../../../generated/provider/validators.js";
import { endOfString, isTooDeep, TOO_DEEP } from "../../runtime/json.ts";
import { parseJson, type ReadEntry, readEntry, type Unavailable, unavailable, whyUnread } from "./answer.ts";
import { LONGEST_RESPONSE, MOST_REGISTERED, tooMany } from "./http-error.ts";

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

const [QUOTE, COMMA] = [34, 44];
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [91, 93, 123, 125];

/** A JSON object without the entries of one of its lists. */
export interface Split {
  /** The text of the object with an empty list. */
  frame: string;
  /** The text of each entry, made when it is iterated. */
  entries: Iterable<string>;
  count: number;
}

/**
 * Splits the text of a JSON object at the entries of its member `list`, in linear time: of a long text, no more than an entry need be
 * parsed at once. Checks no syntax: that is for the parser of the frame and of the entries.
 * @param most a text with more entries is split no further, and counts one more
 */
export function splitList(text: string, list: string, most: number): Split {
  const [starts, ends, frame]: [number[], number[], string[]] = [[], [], []];
  let [depth, frameFrom, entryFrom] = [0, 0, 0];
  let [isInList, isNamed] = [false, false];
  const endEntry = (end: number) => {
    starts.push(entryFrom);
    ends.push(end);
    entryFrom = end + 1;
  };
  for (let at = 0; at < text.length && starts.length <= most; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      const end = endOfString(text, at);
      if (depth === 1) isNamed = isString(text.slice(at, end + 1), list);
      at = end;
    } else if (unit === ARRAY || unit === OBJECT) {
      depth += 1;
      if (depth !== 2 || unit !== ARRAY || !isNamed) continue;
      isInList = true;
      // Of two members with one name, the last counts.
      starts.length = ends.length = 0;
      entryFrom = at + 1;
      frame.push(text.slice(frameFrom, at + 1));
    } else if (unit === COMMA && isInList && depth === 2) endEntry(at);
    else if (unit === ARRAY_END || unit === OBJECT_END) {
      depth -= 1;
      if (!isInList || depth !== 1) continue;
      if (starts.length > 0 || text.slice(entryFrom, at).trim() !== "") endEntry(at);
      [isInList, isNamed, frameFrom] = [false, false, at];
    }
  }
  frame.push(isInList ? "" : text.slice(frameFrom));
  return { frame: frame.join(""), entries: slices(text, starts, ends), count: starts.length };
}

function* slices(text: string, starts: readonly number[], ends: readonly number[]): Generator<string> {
  for (const [nth, start] of starts.entries()) yield text.slice(start, ends[nth]);
}

/** Whether the JSON text is this string, which it may spell with escapes. */
function isString(text: string, value: string): boolean {
  if (!text.includes("\\")) return text === `"${value}"`;
  try {
    return JSON.parse(text) === value;
  } catch {
    return false;
  }
}
