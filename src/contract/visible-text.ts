/** What controls a terminal or reorders its text, except for line ends: control characters, and those of bidirectional text. */
const INVISIBLE = /[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/gu;

/** Returns the text as a terminal may show it. The escapes are those of JSON, so a line of JSON keeps its value. */
export const visible = (text: string): string =>
  text.replaceAll(INVISIBLE, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Returns the text as it may be a part of one line. */
export const visibleLine = (text: string): string => visible(text).replaceAll("\n", "\\n");
