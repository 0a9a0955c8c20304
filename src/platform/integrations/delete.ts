import { problem } from "../../contract/problem.ts";
import type { Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream/news.ts";
import { transact } from "../transaction.ts";
import { lockIntegration } from "./integration.ts";
import type { TokenOwners } from "./tokens.ts";

/** What belongs to an integration. A draft has no jobs, and so nothing that belongs to one. */
const TABLES = [
  ...["platform_tokens", "work", "events", "event_log", "shifts", "outlets", "roles", "provider_candidates"],
  ...["field_uses", "issues", "trace_steps", "webhook_counts", "call_rates", "integrations"],
] as const satisfies readonly (keyof Schema)[];

/**
 * Deletes a draft with everything that belongs to it.
 * @throws ProblemError provider_not_found, integration_not_draft, integration_in_use.
 */
export async function deleteIntegration(
  deps: Deps,
  owners: Pick<TokenOwners, "forget">,
  providerId: string,
): Promise<void> {
  const deleted = await transact(deps, async (trx) => {
    const { provider_id, state } = await lockIntegration(trx, providerId);
    if (state !== "draft")
      throw problem("integration_not_draft", {
        detail: `The integration is ${state}. Only a draft can be deleted; suspend an active integration to stop its work.`,
      });
    const jobs = trx.selectFrom("jobs").select("job_id").where("provider_id", "=", provider_id);
    if (await jobs.limit(1).executeTakeFirst())
      throw problem("integration_in_use", {
        detail: "The integration has jobs, and candidates may be booked on them. It cannot be deleted.",
      });
    for (const table of TABLES) await trx.deleteFrom(table).where("provider_id", "=", provider_id).execute();
    publish(trx, { type: "integration", providerId: provider_id, state, health: "reachable" });
    return provider_id;
  });
  owners.forget(deleted);
  deps.log.info({ providerId: deleted }, "a draft was deleted");
}
