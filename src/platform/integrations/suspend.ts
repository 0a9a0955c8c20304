import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream/news.ts";
import { transact } from "../transaction.ts";
import { healthOf } from "./health.ts";
import { lockIntegration } from "./integration.ts";

/**
 * Stops an active integration; activating it again lets everything go on. Its webhooks are stored and wait, and its jobs take no new
 * bookings. Decision: a draft stays a draft, because nothing of it runs and its
 * activation must still ask for the mappings.
 * @throws ProblemError provider_not_found
 */
export async function suspend(deps: Deps, providerId: string): Promise<Integration> {
  return transact(deps, async (trx) => {
    const integration = await lockIntegration(trx, providerId);
    if (integration.state !== "active") return integration;
    const suspended = await trx
      .updateTable("integrations")
      .set({ state: "suspended", updated_at: deps.now() })
      .where("provider_id", "=", providerId)
      .returningAll()
      .executeTakeFirstOrThrow();
    const { state } = suspended;
    publish(trx, { type: "integration", providerId, state, health: healthOf(suspended).code });
    return suspended;
  });
}
