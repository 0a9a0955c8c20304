import type { FieldError } from "../../../generated/runtime/validator.ts";
import { problem } from "../../contract/problem.ts";
import { isStorable } from "../../contract/storable-text.ts";
import { isInFourDigitYears } from "../../contract/timestamp.ts";

/** The parts of a request in which text comes, and how pointers into each begin. */
export interface Parts {
  path?: unknown;
  query?: unknown;
  body?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: the handlers of a generated interface share no other type.
export type AnyHandler = (request: any, context: any) => unknown;

/**
 * The handlers, each behind a check of all text in its request, because JSON schema can say of no string that it can be stored, and of no
 * time in which year it is in UTC.
 */
export function refusingUnstorableText<Handlers extends { [Name in keyof Handlers]: AnyHandler }>(
  handlers: Handlers,
): Handlers {
  const guarded = Object.entries<AnyHandler>(handlers).map(([operationId, handler]) => [
    operationId,
    (request: Parts, context: unknown) => {
      const errors = unstorableText(request);
      if (errors.length === 0) return handler(request, context);
      throw problem("validation_failed", { detail: "What `errors` names cannot be stored.", errors });
    },
  ]);
  return Object.fromEntries(guarded) as Handlers;
}

/** Every text that cannot be stored, by its pointer. */
function unstorableText({ path, query, body }: Parts): FieldError[] {
  const errors: FieldError[] = [];
  // A list of what is left instead of recursion: 64 kB of brackets would exhaust the stack.
  const left: [pointer: string, value: unknown][] = [
    ["", body],
    ["#/query", query],
    ["#/path", path],
  ];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [pointer, value] = next;
    const message = typeof value === "string" ? faultOf(value) : undefined;
    if (message !== undefined) errors.push({ pointer, message });
    if (typeof value !== "object" || value === null) continue;
    const members = Object.entries(value).reverse();
    for (const [name, member] of members) left.push([`${pointer}/${escaped(name)}`, member]);
  }
  return errors;
}

/** The documents' `date-time`; everywhere, so that no field that is added can be forgotten. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/i;

function faultOf(text: string): string | undefined {
  if (!isStorable(text)) return "must not hold U+0000 or a lone surrogate";
  const ms = DATE_TIME.test(text) ? Date.parse(text) : Number.NaN;
  const isBeyond = !Number.isNaN(ms) && !isInFourDigitYears(ms);
  return isBeyond ? "must be in the years 0001 to 9999 in UTC" : undefined;
}

const escaped = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");
