/** Returns whether two JSON values are equal (JSON Schema core, section 4.2.2). */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  const isScalar = typeof one !== "object" || typeof other !== "object" || one === null || other === null;
  return !isScalar && canonical(one) === canonical(other);
}

/** Returns whether no two items are equal, in time linear in the size of the items. */
export function isUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(canonical)).size === items.length;
}

/** A text that is part of the result, among the values that still have to be written. */
class Mark {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
const [COMMA, END_OF_LIST, END_OF_OBJECT] = [new Mark(","), new Mark("]"), new Mark("}")] as const;

/** Returns the JSON text with sorted members. It uses no recursion: foreign values may be nested as deep as they are long. */
function canonical(value: unknown): string {
  const texts: string[] = [];
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (next instanceof Mark) texts.push(next.text);
    else if (Array.isArray(next)) {
      texts.push("[");
      rest.push(END_OF_LIST);
      for (const item of next.toReversed()) rest.push(COMMA, item);
    } else if (typeof next === "object" && next !== null) {
      texts.push("{");
      rest.push(END_OF_OBJECT);
      const members = Object.entries(next).filter(([, member]) => member !== undefined);
      for (const [name, member] of members.sort(([left], [right]) => (left < right ? 1 : -1))) {
        rest.push(COMMA, member, new Mark(`${JSON.stringify(name)}:`));
      }
    } else texts.push(JSON.stringify(next) ?? "null");
  }
  return texts.join("");
}
