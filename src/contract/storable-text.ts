/** Of a provider's name or address as much is kept. Characters. */
const LONGEST_NAME = 200;

/** PostgreSQL's text cannot hold U+0000, and its UTF-8 no lone surrogate, which the driver would replace in silence. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

export const isLongName = (name: string): boolean => firstOf(name).length > LONGEST_NAME;

/** What is kept of a name or an address. It goes into every notification and is only shown, so what is no character is replaced, and what no one sees is dropped. */
export const keptName = (name: string): string =>
  withoutLinks(shownLine(firstOf(name).slice(0, LONGEST_NAME).join("").toWellFormed()));

/** One character more than is kept, each of two units at most, which avoids counting half a megabyte of them. */
const firstOf = (name: string): string[] => [...name.slice(0, 2 * LONGEST_NAME + 2)];

/** What controls a terminal or reorders its text, except for line ends: control characters, and those of bidirectional text. */
const INVISIBLE = /[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/gu;

/** Returns the text as a terminal may show it. The escapes are those of JSON, so a line of JSON keeps its value. */
export const visible = (text: string): string =>
  text.replaceAll(INVISIBLE, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Returns the text as it may be a part of one line. */
export const visibleLine = (text: string): string => visible(text).replaceAll("\n", "\\n");

/** What no reader sees, or what reorders the text around it. */
const UNSEEN = /[\p{Bidi_Control}\u00ad\u200b-\u200d\u2060-\u2064\ufeff]/gu;

/** Returns a text of others as people may read it in mails, pages, calendars and the console: in one normal form, without what hides or reorders text. */
export const shownText = (text: string): string =>
  text
    .normalize("NFC")
    .replaceAll(UNSEEN, "")
    .replaceAll(/[^\P{Cc}\n]|[\u2028\u2029]/gu, " ");

const LINK = /(?:https?:\/\/|www\.)\S*/gi;

/** Returns a text of a provider without links: it stands in mails from the company's address. */
export const withoutLinks = (text: string): string => text.replaceAll(LINK, "[link]");

/** Returns it as one line. */
export const shownLine = (text: string): string => shownText(text).replaceAll(/\s+/gu, " ").trim();
