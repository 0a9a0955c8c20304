import { problem } from "../../contract/problem.ts";
import { isStorable } from "../../contract/storable-text.ts";
import { isInFourDigitYears } from "../../contract/timestamp.ts";
import { escapeStep } from "../../runtime/pointer.ts";
import type { FieldError } from "../../runtime/validator.ts";
import { lowerUuid } from "../ids.ts";

interface Input {
  path?: unknown;
  query?: unknown;
  body?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: the handlers of a generated interface share no other type.
type AnyHandler = (request: any, context: any) => unknown;

/**
 * Puts two steps before each handler that no JSON schema can express: text that the database cannot store is refused, and ids are
 * lowercased, because UUIDs are equal in either case (RFC 9562) but are compared as text.
 */
export function withStorableInput<Handlers extends { [Name in keyof Handlers]: AnyHandler }>(
  handlers: Handlers,
): Handlers {
  const guarded = Object.entries<AnyHandler>(handlers).map(([operationId, handler]) => [
    operationId,
    (request: Input, context: unknown) => {
      const { path, query, body } = request;
      requireStorable(request);
      const lowered = { path: lowerIds(path), query: lowerIds(query), body: lowerIds(body) };
      return handler({ ...request, ...lowered }, context);
    },
  ]);
  return Object.fromEntries(guarded) as Handlers;
}

/** @throws ProblemError validation_failed, for text that the database can neither store nor compare. */
function requireStorable(request: Input): void {
  const errors = unstorableText(request);
  if (errors.length > 0)
    throw problem("validation_failed", { detail: "The values named in `errors` cannot be stored.", errors });
}

/** Every text that cannot be stored, by its pointer. */
function unstorableText({ path, query, body }: Input): FieldError[] {
  const errors: FieldError[] = [];
  // A work list instead of recursion: 64 kB of brackets would exhaust the stack.
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
    for (const [name, member] of members) left.push([`${pointer}/${escapeStep(name)}`, member]);
  }
  return errors;
}

/** The documents' `date-time`. Checked in every text, so that a new field cannot be forgotten. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/i;

function faultOf(text: string): string | undefined {
  if (!isStorable(text)) return "must not hold U+0000 or a lone surrogate";
  const ms = DATE_TIME.test(text) ? Date.parse(text) : Number.NaN;
  const isBeyond = !Number.isNaN(ms) && !isInFourDigitYears(ms);
  return isBeyond ? "must be in the years 0001 to 9999 in UTC" : undefined;
}

/** Ids that the platform writes in lower case. A provider's own id, a name or a token may look like a UUID without being one. */
const IDS =
  /^(?:candidateIds?|competenceIds?|eventId|issueIds?|jobId|operatorId|providerId|subject|shiftId|traceId|workplaceId)$/;

/** Ids are at the top, in a list there, or in an entry of one. Not deeper: 64 kB of brackets would exhaust the stack. */
function lowerIds(part: unknown): unknown {
  return mapMembers(part, (name, value) => {
    if (!Array.isArray(value)) return lowerId(name, value);
    return value.map((entry) =>
      typeof entry === "string" ? lowerId(name, entry) : mapMembers(entry, lowerId),
    );
  });
}

const lowerId = (name: string, value: unknown) =>
  typeof value === "string" && IDS.test(name) ? lowerUuid(value) : value;

function mapMembers(part: unknown, map: (name: string, value: unknown) => unknown): unknown {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, map(name, value)]));
}
