import type { Deps } from "../deps.ts";
import { lockIntegration } from "../integrations/integration.ts";
import { enqueueVerification } from "./queue.ts";

/**
 * Asks for a check of the provider, in whatever state the integration is. Answers false where nobody can check.
 * @throws ProblemError provider_not_found
 */
export async function requestVerification(deps: Deps, providerId: string): Promise<boolean> {
  return deps.database.kysely.transaction().execute(async (trx) => {
    const { provider_id } = await lockIntegration(trx, providerId);
    await enqueueVerification(trx, deps, provider_id);
    return deps.checkProvider !== undefined;
  });
}
