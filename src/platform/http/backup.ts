import type { RequestHandler, Response } from "express";
import { problem } from "../../contract/problem.ts";
import { openEntry } from "../access/audit.ts";
import { BackupInUse } from "../db/engine.ts";
import type { Deps } from "../deps.ts";
import { transact } from "../transaction.ts";
import type { OperatorAuthentication } from "./authenticate.ts";

/** A backup holds all personal data. */
const NEEDED = { scopes: ["admin"] };

/**
 * `GET /operations/v1/backup`, of the embedded database, beside the generated router, because it does not answer with JSON. It is recorded in
 * the audit log before the first byte is sent: what cannot be recorded is not handed out. A failure cuts it off.
 */
export function backupHandler(deps: Deps, authenticate: OperatorAuthentication): RequestHandler {
  const { database, log, now, newId } = deps;
  const { backUp } = database;
  return async (request, response) => {
    const identity = await authenticate(request, NEEDED);
    if (!backUp)
      throw problem("not_ready", {
        detail: "PostgreSQL is backed up with its own tools, such as pg_dump: see the guide for operators.",
      });
    response.set({ "Content-Type": "application/octet-stream", "Cache-Control": "no-store" });
    if (request.method === "HEAD") return void response.end();
    const audit = openEntry({ identity, operation: "backup", subjects: {}, fields: [], now, newId });
    await transact({ ...deps, audit }, async () => undefined);
    await backUp(response).catch((error: unknown) => broken(error, response));
  };
  function broken(error: unknown, response: Response): void {
    log.warn({ err: error }, "a backup was not completed");
    if (response.headersSent || response.destroyed) return void response.destroy();
    response.removeHeader("Content-Type");
    if (!(error instanceof BackupInUse)) throw error;
    throw problem("overloaded", { detail: "Another backup is being made." }, { "Retry-After": "30" });
  }
}
