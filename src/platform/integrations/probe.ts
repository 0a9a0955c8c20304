import type { Deps } from "../deps.ts";
import { transact } from "../transaction.ts";
import { endClaim } from "../work/rows.ts";
import type { Run } from "../work/worker.ts";
import { resumeCalls } from "./health.ts";
import { requireIntegration } from "./integration.ts";

/** Asks a provider that rejected the token whether it accepts it by now: a good response resumes the integration. */
export const probe =
  (deps: Deps): Run =>
  async (claim, signal) => {
    const { providerId, priority } = claim;
    const integration = await requireIntegration(deps.database.kysely, providerId);
    const answer = integration.paused_since
      ? await deps.clientFor(integration).listOutlets({ traceId: deps.newTraceId(), signal })
      : undefined;
    signal.throwIfAborted();
    const { probeMs } = deps.timing;
    const isPaused = answer !== undefined && answer.kind !== "list";
    await transact(deps, async (trx) => {
      if (!isPaused) await resumeCalls(trx, deps, providerId);
      endClaim(trx, claim, { priority, attempts: 0, ...(isPaused && { afterMs: probeMs }) });
    });
    if (isPaused) deps.wakeWorkerIn(probeMs);
  };
