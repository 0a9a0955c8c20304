import type { RequestHandler } from "express";
import { type AuditFilter, everyEntry } from "../access/audit-log.ts";
import { type ExportParts, exportRoute, operationNamed } from "./export-route.ts";
import { writeLines } from "./lines.ts";

/** `GET /operations/v1/audit/export`: `listAudit` in all but the form of its response. */
export function auditExport(parts: ExportParts): RequestHandler {
  const { operation, read } = operationNamed("listAudit");
  return exportRoute(parts, operation, "application/x-ndjson", async (request) => {
    const { query } = await read(request);
    const entries = everyEntry(parts.deps.database.kysely, query as AuditFilter);
    return { operation: "exportAudit", write: (response) => writeLines(response, entries) };
  });
}
