import type { Request, RequestHandler, Response } from "express";
import { operationsTable } from "../../../generated/operations/server.ts";
import { requests } from "../../../generated/operations/validators.js";
import type { OperationInfo } from "../../runtime/operation.ts";
import { requestReader } from "../../runtime/request.ts";
import { openEntry } from "../access/audit.ts";
import type { Deps } from "../deps.ts";
import { transact } from "../transaction.ts";
import type { OperatorAuthentication } from "./authenticate.ts";
import { requireStorable } from "./input.ts";

export interface ExportParts {
  deps: Deps;
  authenticate: OperatorAuthentication;
}

interface Export {
  /** As the audit log names it. */
  operation: string;
  subjects?: Record<string, string>;
  write(response: Response): Promise<void>;
}

/**
 * Serves an export, beside the generated router, because it does not answer with one JSON value. It is recorded in the audit log before the
 * first byte is sent: what cannot be recorded is not handed out.
 * @param needed An operation whose roles the export requires.
 */
export function exportRoute(
  { deps, authenticate }: ExportParts,
  needed: Pick<OperationInfo, "scopes">,
  contentType: string,
  open: (request: Request) => Promise<Export>,
): RequestHandler {
  return async (request, response) => {
    const identity = await authenticate(request, needed);
    const { operation, subjects = {}, write } = await open(request);
    response.set({ "Content-Type": contentType, "Cache-Control": "no-store" });
    if (request.method === "HEAD") return void response.end();
    const { now, newId } = deps;
    const audit = openEntry({ identity, operation, subjects, fields: [], now, newId });
    await transact({ ...deps, audit }, async () => undefined);
    await write(response);
  };
}

/** Returns an operation of the document, and what reads its requests. */
export function operationNamed(name: "listAudit" | "deleteIntegration") {
  const operation = operationsTable.find(({ operationId }) => operationId === name);
  if (!operation) throw new Error(`the document has no operation ${name}`);
  const read = requestReader(operation, requests[name], 0);
  return {
    operation,
    read: async (request: Request) => {
      const values = await read(request);
      requireStorable(values);
      return values;
    },
  };
}
