/** Escapes a name for a JSON pointer (RFC 6901). */
export const escapeStep = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

export const unescapeStep = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

/** Returns the names in a JSON pointer. */
export const stepsOf = (pointer: string): string[] => pointer.split("/").slice(1).map(unescapeStep);

/** Returns the value at a JSON pointer, or undefined. */
export function valueAt(value: unknown, pointer: string): unknown {
  return stepsOf(pointer).reduce(memberOf, value);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
