import type { Handlers } from "../../../generated/platform/server.ts";
import { problem } from "../../contract/problem.ts";
import type { Readiness, StoreFault } from "../inbox/readiness.ts";

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
