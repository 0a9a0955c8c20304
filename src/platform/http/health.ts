import type { Handlers } from "../../../generated/platform/server.ts";
import { problem } from "../../contract/problem.ts";
import { inTime } from "../db/in-time.ts";
import type { Deps } from "../deps.ts";
import { storeUnavailable } from "./authenticate.ts";

/** The health checks. `isDraining`: the process is about to stop. */
export function healthHandlers({ database, log }: Pick<Deps, "database" | "log">, isDraining: () => boolean) {
  return {
    getLiveness: () => ({ status: 200, body: { status: "ok" } }),
    getReadiness: async () => {
      if (isDraining())
        throw problem("draining", { detail: "The process is about to stop: use another one." });
      try {
        await inTime(database.ping());
        return { status: 200, body: { status: "ok" } };
      } catch (error) {
        log.error({ err: error }, "the database does not answer");
        throw storeUnavailable();
      }
    },
  } satisfies Partial<Handlers<unknown>>;
}
