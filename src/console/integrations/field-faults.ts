import type { Trouble } from "../data/trouble.ts";

/** What a refusal says of each field of a form, by the field's name, and what it says of none of them. */
export interface FieldFaults {
  of: Readonly<Record<string, string>>;
  /** The trouble without what stands at the fields; undefined when nothing is left to tell. */
  rest?: Trouble;
}

/** @param fields names of the form's fields, as the body has them. */
export function fieldFaults(trouble: Trouble | undefined, fields: readonly string[]): FieldFaults {
  if (!trouble) return { of: {} };
  const errors = trouble.errors ?? [];
  const known = errors.filter(({ pointer }) => fields.includes(fieldOf(pointer)));
  const others = errors.filter((error) => !known.includes(error));
  const of = Object.fromEntries(
    known.map(({ pointer, message }) => [fieldOf(pointer), inWords(fieldOf(pointer), message)]),
  );
  const { errors: _errors, detail: _detail, ...rest } = trouble;
  if (others.length > 0) return { of, rest: { ...trouble, errors: others } };
  return {
    of,
    rest: known.length > 0 ? { ...rest, title: "Nothing was changed: see the marked fields" } : trouble,
  };
}

/** What a pattern of the operations document asks for. */
const PATTERNS: Readonly<Record<string, string>> = {
  kind: "must be 2 to 32 lower-case letters, digits and hyphens, a letter first",
  providerToken: "must be 8 to 500 visible characters without a space",
};

function inWords(field: string, message: string): string {
  return message.startsWith("must match") ? (PATTERNS[field] ?? message) : message;
}

/** `/baseUrl`, `#/body/baseUrl`: the first member of the body. */
function fieldOf(pointer: string): string {
  return (
    pointer
      .replace(/^#/, "")
      .replace(/^\/body(?=\/)/, "")
      .split("/")[1] ?? ""
  );
}
