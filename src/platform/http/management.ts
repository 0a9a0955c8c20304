import type { RequestHandler, Response } from "express";
import type { Handlers } from "../../../generated/platform/server.ts";
import { problem } from "../../contract/problem.ts";
import { openEntry } from "../access/audit.ts";
import { BackupInUse } from "../db/engine.ts";
import type { Deps } from "../deps.ts";
import type { Readiness, StoreFault } from "../inbox/readiness.ts";
import { transact } from "../transaction.ts";
import type { OperatorAuthentication } from "./authenticate.ts";

const DETAILS: Readonly<Record<StoreFault, string>> = {
  database_unreachable:
    "The database does not respond: check that it runs, and that this machine reaches it.",
  database_read_only:
    "The database accepts no writes: it is a standby, or set to read-only. Connect to the primary.",
  database_rights_missing:
    "The role of DATABASE_URL may not write to the inbox: grant it the rights that the guide lists.",
  schema_missing: "The tables of the platform are missing or incomplete: run `shiftpact migrate`.",
  schema_newer: "The schema of the database does not work with this version: start the newer version.",
  inbox_locked: "Another session holds a lock on the table of events: end it, or wait for it.",
  connections_exhausted: "No connection to the database is free: raise its limit, or lower DATABASE_POOL.",
  store_unavailable: "Nothing can be stored: the log of this process names the cause.",
};

/** The health checks. `isDraining`: the process is about to stop. */
export function healthHandlers(readiness: Pick<Readiness, "fault">, isDraining: () => boolean) {
  return {
    getLiveness: () => ({ status: 200, body: { status: "ok" } }),
    getReadiness: async () => {
      if (isDraining())
        throw problem("draining", { detail: "The process is about to stop: use another one." });
      const fault = await readiness.fault();
      if (fault) throw problem(fault, { detail: DETAILS[fault] }, { "Retry-After": "5" });
      return { status: 200, body: { status: "ok" } };
    },
  } satisfies Partial<Handlers<unknown>>;
}

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
