import { type Handlers, operationsTable } from "../../../generated/operations/server.ts";
import { isUuid } from "../../contract/uuid.ts";
import { openEntry } from "../access/audit.ts";
import type { Identity } from "../access/identity.ts";
import type { Deps } from "../deps.ts";
import { transact } from "../transaction.ts";

type AllHandlers = Handlers<Identity>;

interface Input {
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
    const handler = async (request: Input, identity: Identity): Promise<unknown> => {
      const { now, newId } = deps;
      const entry = openEntry({ identity, operation: operationId, ...aboutOf(request), now, newId });
      const scoped = { ...deps, audit: entry };
      const call = handlersOf(scoped)[operationId] as (request: Input, identity: Identity) => unknown;
      const response = await call(request, identity);
      if (!entry.isWritten) await transact(scoped, async () => undefined);
      return response;
    };
    return [operationId, handler] as const;
  });
  return Object.fromEntries(wrapped) as unknown as AllHandlers;
}

/** The ids that the request names, and its fields. */
function aboutOf({ path, body }: Input) {
  const given = typeof body === "object" && body !== null ? body : {};
  const ids = Object.entries({ ...given, ...path }).filter(
    (entry): entry is [string, string] =>
      entry[0].endsWith("Id") && typeof entry[1] === "string" && isUuid(entry[1]),
  );
  const subjects = Object.fromEntries(ids);
  return { subjects, fields: Object.keys(given).filter((field) => !(field in subjects)) };
}
