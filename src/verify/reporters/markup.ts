/** Text of an HTML or XML document with escaped values. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Markup | string | number | readonly Part[];

/** Escapes each value in `${}`, except for markup. Attributes must be in double quotes. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const written = strings.map((string, index) => string + textOf(parts[index] ?? ""));
  return new Markup(written.join(""));
}

function textOf(part: Part): string {
  if (part instanceof Markup) return part.text;
  return typeof part === "object" ? part.map(textOf).join("") : escaped(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text. XML allows no control characters or lone surrogates, not even escaped. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, "\ufffd")
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
