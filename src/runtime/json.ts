const [QUOTE, BACKSLASH] = [34, 92];
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [91, 93, 123, 125];

/** The most lists and objects around a value: each one costs the parser more than any other two letters do. */
export const MOST_DEPTH = 64;

export const TOO_DEEP = `must be nested at most ${MOST_DEPTH} deep`;

/** Returns whether a JSON text is nested too deeply to be parsed, in linear time. What is not JSON may be either. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === ARRAY || unit === OBJECT) {
      depth += 1;
      if (depth > MOST_DEPTH) return true;
    } else if (unit === ARRAY_END || unit === OBJECT_END) depth -= 1;
  }
  return false;
}

/** Returns the place of the quote that ends the string of a JSON text; the end of the text if none does. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = text.indexOf('"', at);
    if (at === -1) return text.length;
    let before = at;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
}
