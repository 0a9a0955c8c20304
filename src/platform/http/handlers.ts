import { type Handlers, operationsTable } from "../../../generated/operations/server.ts";
import { problem } from "../../contract/problem.ts";
import { isStorable } from "../../contract/storable-text.ts";
import { isInFourDigitYears } from "../../contract/timestamp.ts";
import { isUuid } from "../../contract/uuid.ts";
import { escapeStep } from "../../runtime/pointer.ts";
import type { FieldError } from "../../runtime/validator.ts";
import { type Identity, openEntry } from "../access/audit.ts";
import type { Deps } from "../deps.ts";
import { lowerUuid } from "../ids.ts";
import { transact } from "../transaction.ts";

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

type AllHandlers = Handlers<Identity>;

interface AnyInput {
  path: Readonly<Record<string, unknown>>;
  body: unknown;
}

/**
 * Records every operation that is not a GET in the audit log. The features write the entry, in the transaction of their change, because
 * `transact` does so for the dependencies that they are given here; so a new operation is recorded without any code of its own. An
 * operation that ran no transaction is recorded before its response is sent.
 */
export function audited(deps: Deps, handlersOf: (deps: Deps) => AllHandlers): AllHandlers {
  const readers = handlersOf(deps);
  const wrapped = operationsTable.map(({ operationId, method }) => {
    if (method === "GET") return [operationId, readers[operationId]] as const;
    const handler = async (request: AnyInput, identity: Identity): Promise<unknown> => {
      const { now, newId } = deps;
      const entry = openEntry({ identity, operation: operationId, ...aboutOf(request), now, newId });
      const scoped = { ...deps, audit: entry };
      const call = handlersOf(scoped)[operationId] as (request: AnyInput, identity: Identity) => unknown;
      const response = await call(request, identity);
      if (!entry.isWritten) await transact(scoped, async () => undefined);
      return response;
    };
    return [operationId, handler] as const;
  });
  return Object.fromEntries(wrapped) as unknown as AllHandlers;
}

/** The ids that the request names, and its fields. */
function aboutOf({ path, body }: AnyInput) {
  const given = typeof body === "object" && body !== null ? body : {};
  const ids = Object.entries({ ...given, ...path }).filter(
    (entry): entry is [string, string] =>
      entry[0].endsWith("Id") && typeof entry[1] === "string" && isUuid(entry[1]),
  );
  const subjects = Object.fromEntries(ids);
  return { subjects, fields: Object.keys(given).filter((field) => !(field in subjects)) };
}

export const ok = <Body>(body: Body) => ({ status: 200, body }) as const;
export const created = <Body>(body: Body) => ({ status: 201, body }) as const;
export const accepted = <Body>(body: Body) => ({ status: 202, body }) as const;
/** Whether a client prefers a response at once (RFC 7240, section 4.1). */
export const doesNotWait = (prefer = ""): boolean =>
  prefer.split(",").some((each) => each.split(";")[0]?.trim().toLowerCase() === "respond-async");

export const noContent = { status: 204 } as const;
