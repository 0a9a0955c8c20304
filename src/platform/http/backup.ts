import type { RequestHandler } from "express";
import { problem } from "../../contract/problem.ts";
import { writeBackup } from "../backup/file.ts";
import type { Database, Log } from "../db/database.ts";
import { SnapshotInUse } from "../db/engine.ts";
import type { OperatorAuthentication } from "./authenticate.ts";

/** A backup holds all personal data. */
const NEEDED = { scopes: ["admin"] };

/** `GET /operations/v1/backup`, beside the generated router, because the response is no JSON. A failure cuts it off. */
export function backupHandler(
  database: Database,
  authenticate: OperatorAuthentication,
  log: Log,
): RequestHandler {
  return async (request, response) => {
    await authenticate(request, NEEDED);
    response.set({ "Content-Type": "application/gzip", "Cache-Control": "no-store" });
    if (request.method === "HEAD") return void response.end();
    try {
      await writeBackup(database, response);
    } catch (error) {
      log.warn({ err: error }, "a backup was not completed");
      if (response.headersSent || response.destroyed) return void response.destroy();
      response.removeHeader("Content-Type");
      if (!(error instanceof SnapshotInUse)) throw error;
      throw problem("overloaded", { detail: "Another backup is being made." }, { "Retry-After": "30" });
    }
  };
}
