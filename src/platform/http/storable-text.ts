import type { FieldError } from "../../../generated/runtime/validator.ts";
import { problem } from "../../contract/problem.ts";

/** The parts of a request in which text comes, and how pointers into each begin. */
interface Parts {
  path?: unknown;
  query?: unknown;
  body?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: the handlers of a generated interface share no other type.
type AnyHandler = (request: any, context: any) => unknown;

/**
 * The handlers, each behind a check of all text in its request: PostgreSQL's text cannot hold U+0000, and its UTF-8 no lone
 * surrogate, which the driver would replace in silence. JSON schema can say neither of every string there is.
 */
export function refusingUnstorableText<Handlers extends { [Name in keyof Handlers]: AnyHandler }>(
  handlers: Handlers,
): Handlers {
  const guarded = Object.entries<AnyHandler>(handlers).map(([operationId, handler]) => [
    operationId,
    (request: Parts, context: unknown) => {
      const errors = unstorableText(request);
      if (errors.length === 0) return handler(request, context);
      throw problem("validation_failed", { detail: "The text cannot be stored.", errors });
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
    if (typeof value === "string" && !isStorable(value)) {
      errors.push({ pointer, message: "must not hold U+0000 or a lone surrogate" });
    }
    if (typeof value !== "object" || value === null) continue;
    const members = Object.entries(value).reverse();
    for (const [name, member] of members) left.push([`${pointer}/${escaped(name)}`, member]);
  }
  return errors;
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

const escaped = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");
