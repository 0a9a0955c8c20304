import { sql } from "kysely";
import { agreeing, counted } from "../../contract/operator-text.ts";
import { problem } from "../../contract/problem.ts";
import { forgetMembers } from "../candidates/forget-members.ts";
import type { Integration, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream.ts";
import { type Trx, transact } from "../transaction.ts";
import { lockIntegration, writeIntegration } from "./integration.ts";
import { countRemaining } from "./offboard.ts";
import type { TokenOwners } from "./tokens.ts";

/** What belongs to an integration, beside its memberships; what refers to another table comes before it. The audit log stays. */
const TABLES = [
  "platform_tokens",
  "work",
  "offer_mails",
  "notifications",
  "declines",
  "disputed_addresses",
  "personal_links",
  "bookings",
  "own_people",
  "shift_changes",
  "pending_operations",
  "jobs",
  "events",
  "event_log",
  "shifts",
  "outlets",
  "roles",
  "provider_candidates",
  "field_uses",
  "issues",
  "rejected_webhooks",
  "trace_steps",
  "webhook_counts",
  "call_rates",
  "figures",
  "hourly_figures",
] as const satisfies readonly (keyof Schema)[];

/** Rows of one transaction. */
const BATCH = 1_000;
/** Of each table in one round of the upkeep: the rest waits for the next. */
const BATCHES = 100;

/**
 * Deletes a draft with everything that belongs to it, and returns undefined. Requests the deletion of an organisation that is being
 * offboarded, from which no webhook is accepted any more, and returns it.
 * @throws ProblemError provider_not_found, integration_not_draft, integration_in_use.
 */
export async function deleteIntegration(
  deps: Deps,
  owners: Pick<TokenOwners, "forget">,
  providerId: string,
): Promise<Integration | undefined> {
  const left = await transact(deps, async (trx) => {
    const integration = await lockIntegration(trx, providerId);
    if (integration.offboarding) return requestDeletion(trx, deps, integration);
    await requireUnusedDraft(trx, integration);
    await deleteRest(trx, deps, integration);
    return undefined;
  });
  owners.forget(providerId);
  deps.log.info(
    { providerId },
    left ? "the deletion of an organisation was requested" : "a draft was deleted",
  );
  return left;
}

async function requireUnusedDraft(trx: Trx, { provider_id, state }: Integration): Promise<void> {
  if (state !== "draft")
    throw problem("integration_not_draft", {
      detail: `The integration is ${state}. Offboard it first, or suspend it to stop its work.`,
    });
  const jobs = trx.selectFrom("jobs").select("job_id").where("provider_id", "=", provider_id);
  if (await jobs.limit(1).executeTakeFirst())
    throw problem("integration_in_use", {
      detail: "The integration has jobs, and candidates may be booked on them. It cannot be deleted.",
    });
}

async function requestDeletion(trx: Trx, deps: Deps, integration: Integration): Promise<Integration> {
  const { provider_id, deletion_requested_at } = integration;
  const remaining = await countRemaining(trx, integration);
  if (remaining > 0)
    throw problem("integration_in_use", {
      detail: `The provider has not confirmed yet that ${counted(remaining, "booked person", "booked people")} ${agreeing(remaining, "is", "are")} off their shifts. Wait, or offboard again and keep the bookings.`,
    });
  for (const table of ["platform_tokens", "work"] as const)
    await trx.deleteFrom(table).where("provider_id", "=", provider_id).execute();
  const at = deletion_requested_at ?? deps.now();
  return writeIntegration(trx, provider_id, { deletion_requested_at: at });
}

/** Deletes organisations whose deletion was requested, in batches. Returns how many are gone. */
export async function deleteLeaving(deps: Deps, signal: AbortSignal): Promise<number> {
  const { kysely } = deps.database;
  const all = kysely.selectFrom("integrations").selectAll().where("deletion_requested_at", "is not", null);
  let deleted = 0;
  for (const integration of await all.execute()) {
    if (!(await isEmptied(deps, integration, signal))) continue;
    await transact(deps, async (trx) => {
      await lockIntegration(trx, integration.provider_id);
      await deleteRest(trx, deps, integration);
    });
    deps.log.info({ providerId: integration.provider_id }, "an organisation was deleted");
    deleted += 1;
  }
  return deleted;
}

/** Deletes most rows in short transactions. Returns whether few are left. */
async function isEmptied(deps: Deps, { provider_id }: Integration, signal: AbortSignal): Promise<boolean> {
  let isEmpty = true;
  for (const name of TABLES) {
    const table = sql.table(name);
    for (let batch = 1; !signal.aborted; batch += 1) {
      // In a table with a partition for each day other rows have the same ctid, of any organisation.
      const { numAffectedRows = 0n } = await sql`delete from ${table} where provider_id = ${provider_id}
        and ctid = any(array(select ctid from ${table} where provider_id = ${provider_id} limit ${sql.lit(BATCH)}))`.execute(
        deps.database.kysely,
      );
      if (numAffectedRows < BATCH) break;
      if (batch >= BATCHES) {
        isEmpty = false;
        break;
      }
    }
  }
  const forget = () =>
    transact(deps, (trx) => forgetMembers(trx, deps, { providerId: provider_id, most: BATCH }));
  for (let batch = 1; isEmpty && !signal.aborted && (await forget()) === BATCH; batch += 1)
    if (batch >= BATCHES) isEmpty = false;
  return isEmpty && !signal.aborted;
}

async function deleteRest(trx: Trx, deps: Deps, { provider_id, state }: Integration): Promise<void> {
  for (const table of TABLES) await trx.deleteFrom(table).where("provider_id", "=", provider_id).execute();
  await forgetMembers(trx, deps, { providerId: provider_id });
  await trx.deleteFrom("integrations").where("provider_id", "=", provider_id).execute();
  publish(trx, { type: "integration", providerId: provider_id, state, health: "reachable" });
}
