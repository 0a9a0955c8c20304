import { lowerUuid } from "../ids.ts";
import type { AnyHandler, Parts } from "./storable-text.ts";

/** The ids that are ours, or kept as we write them. A provider's own, a name or a token may look like a UUID and be none. */
const IDS = new Set([
  "candidateId",
  "competenceId",
  "competenceIds",
  "eventId",
  "issueId",
  "jobId",
  "providerId",
  "shiftId",
  "traceId",
  "workplaceId",
]);

/** The handlers, to which a UUID comes in lower case however it was written: it is the same id (RFC 9562), and is compared as text. */
export function loweringUuids<Handlers extends { [Name in keyof Handlers]: AnyHandler }>(
  handlers: Handlers,
): Handlers {
  const lowering = Object.entries<AnyHandler>(handlers).map(([operationId, handler]) => [
    operationId,
    ({ path, query, body, ...rest }: Parts, context: unknown) =>
      handler({ ...rest, path: lowered(path), query: lowered(query), body: lowered(body) }, context),
  ]);
  return Object.fromEntries(lowering) as Handlers;
}

/** Ids stand at the top, in a list there, or in an entry of one. Not deeper: 64 kB of brackets would exhaust the stack. */
function lowered(part: unknown): unknown {
  return mapMembers(part, (name, value) =>
    Array.isArray(value)
      ? value.map((entry) =>
          typeof entry === "string" ? loweredId(name, entry) : mapMembers(entry, loweredId),
        )
      : loweredId(name, value),
  );
}

const loweredId = (name: string, value: unknown) =>
  typeof value === "string" && IDS.has(name) ? lowerUuid(value) : value;

function mapMembers(part: unknown, map: (name: string, value: unknown) => unknown): unknown {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, map(name, value)]));
}
