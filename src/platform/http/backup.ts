import type { RequestHandler } from "express";
import { problem } from "../../contract/problem.ts";
import { writeBackup } from "../backup/file.ts";
import { SnapshotInUse } from "../db/engine.ts";
import type { Deps } from "../deps.ts";
import { recordExport } from "./audited.ts";
import type { OperatorAuthentication } from "./authenticate.ts";

/** A backup holds all personal data. */
const NEEDED = { scopes: ["admin"] };

/** `GET /operations/v1/backup`, beside the generated router, because the response is no JSON. A failure cuts it off. */
export function backupHandler(deps: Deps, authenticate: OperatorAuthentication): RequestHandler {
  return async (request, response) => {
    const identity = await authenticate(request, NEEDED);
    response.set({ "Content-Type": "application/gzip", "Cache-Control": "no-store" });
    if (request.method === "HEAD") return void response.end();
    await recordExport(deps, identity, { operation: "backup" });
    try {
      await writeBackup(deps.database, response);
    } catch (error) {
      deps.log.warn({ err: error }, "a backup was not completed");
      if (response.headersSent || response.destroyed) return void response.destroy();
      response.removeHeader("Content-Type");
      if (!(error instanceof SnapshotInUse)) throw error;
      throw problem("overloaded", { detail: "Another backup is being made." }, { "Retry-After": "30" });
    }
  };
}
