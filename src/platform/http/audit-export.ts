import type { RequestHandler } from "express";
import { operationsTable } from "../../../generated/operations/server.ts";
import { requests } from "../../../generated/operations/validators.js";
import { requestReader } from "../../runtime/request.ts";
import { type AuditFilter, everyEntry } from "../access/audit-log.ts";
import type { Deps } from "../deps.ts";
import { recordExport } from "./audited.ts";
import type { OperatorAuthentication } from "./authenticate.ts";
import { writeLines } from "./lines.ts";

/** `GET /operations/v1/audit/export`, beside the generated router, because it does not answer with JSON. It is `listAudit` in all else. */
export function auditExport(deps: Deps, authenticate: OperatorAuthentication): RequestHandler {
  const operation = operationsTable.find(({ operationId }) => operationId === "listAudit");
  if (!operation) throw new Error("the document has no operation listAudit");
  const read = requestReader(operation, requests.listAudit, 0);
  return async (request, response) => {
    const identity = await authenticate(request, operation);
    const { query } = await read(request);
    response.type("application/x-ndjson").set("Cache-Control", "no-store");
    if (request.method === "HEAD") return void response.end();
    await recordExport(deps, identity, { operation: "exportAudit" });
    await writeLines(response, everyEntry(deps.database.kysely, query as AuditFilter));
  };
}
