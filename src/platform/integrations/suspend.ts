import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { lockIntegration } from "./integration.ts";

/**
 * Stops an active integration; activating it again lets everything go on. Its webhooks are stored and wait, also those whose tasks
 * are queued already, and its jobs take no new bookings. Decision: a draft stays a draft, because nothing of it runs and its
 * activation must still ask for the mappings.
 * @throws ProblemError provider_not_found
 */
export async function suspend(deps: Deps, providerId: string): Promise<Integration> {
  return deps.database.kysely.transaction().execute(async (trx) => {
    const integration = await lockIntegration(trx, providerId);
    if (integration.state !== "active") return integration;
    return trx
      .updateTable("integrations")
      .set({ state: "suspended", updated_at: deps.now() })
      .where("provider_id", "=", providerId)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}
