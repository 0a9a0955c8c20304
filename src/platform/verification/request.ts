import type { Deps } from "../deps.ts";
import { lockIntegration } from "../integrations/integration.ts";
import { transact } from "../transaction.ts";
import { markDue, PRIORITY } from "../work/due.ts";

/**
 * Asks for a check of the provider, in whatever state the integration is. Returns false where the platform has no check.
 * @throws ProblemError provider_not_found
 */
export async function requestVerification(deps: Deps, providerId: string): Promise<boolean> {
  return transact(deps, async (trx) => {
    const { provider_id } = await lockIntegration(trx, providerId);
    if (!deps.checkProvider) return false;
    const due = { providerId: provider_id, kind: "check", key: "", priority: PRIORITY.event } as const;
    await markDue(trx, deps, [due]);
    return true;
  });
}
