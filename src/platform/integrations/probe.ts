import type { Deps } from "../deps.ts";
import { transact } from "../transaction.ts";
import type { Run } from "../work/rows.ts";
import { endClaim } from "../work/rows.ts";
import { DECLARED, end } from "./conditions.ts";
import { requireIntegration } from "./integration.ts";

/** Asks a provider that rejected the token, or responded implausibly, once more: a good response resumes the integration. */
export const probe =
  (deps: Deps): Run =>
  async (claim, signal) => {
    const { providerId, priority } = claim;
    const integration = await requireIntegration(deps.database.kysely, providerId);
    const asked = integration.conditions.filter(({ code }) => DECLARED[code].isProbed);
    const isAsked = asked.length > 0;
    const answer = isAsked
      ? await deps.clientFor(integration).listOutlets({ traceId: deps.newTraceId(), signal })
      : undefined;
    signal.throwIfAborted();
    const { probeMs } = deps.timing;
    const isGood = answer?.kind === "list";
    const isBad = isAsked && !isGood;
    await transact(deps, async (trx) => {
      if (isGood) for (const { code } of asked) await end(trx, deps, providerId, code);
      endClaim(trx, claim, { priority, attempts: 0, ...(isBad && { afterMs: probeMs }) });
    });
    if (isBad) deps.wakeWorkerIn(probeMs);
  };
