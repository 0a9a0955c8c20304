import type { Integration } from "../db/schema.ts";
import type { Deps, ProviderFinding } from "../deps.ts";
import { requireIntegration } from "../integrations/integration.ts";
import { transact } from "../transaction.ts";
import { settle } from "../work/claims.ts";
import type { Run } from "../work/worker.ts";
import { noteCouldNotCheck, noteFindings } from "./findings.ts";
import { shiftToRead } from "./shift-to-read.ts";

/**
 * Checks a provider with calls that change nothing.
 * @param stopping a check takes half a minute: the platform's stop does not wait for it
 */
export const checkOnce =
  (deps: Deps, stopping: AbortSignal): Run =>
  async (claim, signal) => {
    const { providerId, priority } = claim;
    const integration = await requireIntegration(deps.database.kysely, providerId);
    const either = AbortSignal.any([signal, stopping]);
    const findings = await Promise.race([findingsOf(deps, integration, either), aborted(either)]);
    // What was broken off says nothing of the provider.
    either.throwIfAborted();
    await transact(deps, async (trx) => {
      if (findings) await noteFindings(trx, deps, providerId, findings);
      else await noteCouldNotCheck(trx, deps, providerId);
      await settle(trx, claim, { attempts: 0, priority });
    });
  };

/** Undefined when the check could not be made. */
async function findingsOf(
  deps: Deps,
  integration: Integration,
  signal: AbortSignal,
): Promise<ProviderFinding[] | undefined> {
  try {
    const shiftId = await shiftToRead(deps, integration, signal);
    return (await deps.checkProvider?.(integration, { shiftId, signal })) ?? [];
  } catch (error) {
    deps.log.warn({ err: error, providerId: integration.provider_id }, "the provider could not be checked");
    return undefined;
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
