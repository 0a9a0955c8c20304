import { endOfString } from "../../runtime/json.ts";

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
