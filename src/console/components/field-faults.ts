import { fieldWords } from "../../contract/field-words.ts";
import { capitalised } from "../../contract/operator-text.ts";
import type { CallError } from "../data/errors.ts";

/** The faults of a rejected form, by field, and the rest of the problem. */
export interface FieldFaults {
  of: Readonly<Record<string, string>>;
  /** The problem without the faults of fields; undefined when nothing is left. */
  rest?: CallError;
}

/** @param fields names of the form's fields, as the body has them. */
export function fieldFaults(error: CallError | undefined, fields: readonly string[]): FieldFaults {
  if (!error) return { of: {} };
  const errors = error.errors ?? [];
  const known = errors.filter(({ pointer }) => fields.includes(fieldOf(pointer)));
  const others = errors.filter((error) => !known.includes(error));
  const of = Object.fromEntries(
    known.map(({ pointer, message }) => [fieldOf(pointer), ruleOf(fieldOf(pointer), message)]),
  );
  const { errors: _errors, detail: _detail, ...rest } = error;
  if (others.length > 0) return { of, rest: { ...error, errors: others } };
  return {
    of,
    rest: known.length > 0 ? { ...rest, title: "Nothing changed. Correct the marked fields." } : error,
  };
}

/** The whole rule of a field whose pattern is unreadable in a message. */
const RULES: Readonly<Record<string, string>> = {
  kind: "must be 2 to 32 lower-case letters, digits, and hyphens, starting with a letter",
  providerToken: "must be 8 to 500 visible characters without a space",
};

/** A form of the value is explained by the rule; a missing one is not wrong in its form. */
const ruleOf = (field: string, message: string): string =>
  message.startsWith("must ") ? (RULES[field] ?? message) : message;

/** `Start time must be before the end`: the fault of `/startTime`, in words. */
export function faultText(pointer: string, message: string): string {
  return capitalised(`${fieldWords(pointer)} ${message}`.trim());
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
