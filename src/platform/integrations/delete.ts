import { sql } from "kysely";
import { agreeing, counted } from "../../contract/operator-text.ts";
import { problem } from "../../contract/problem.ts";
import { forgetMembers } from "../candidates/erase.ts";
import type { Integration, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream.ts";
import { signal, type Trx, transact } from "../transaction.ts";
import { lockIntegration, writeIntegration } from "./integration.ts";
import { countRemaining } from "./offboard.ts";
import { importTopic } from "./registry-import.ts";
import type { TokenOwners } from "./tokens.ts";

/** What belongs to an integration, beside its memberships; what refers to another table comes before it. The audit log stays. */
const TABLES = [
  "platformTokens",
  "offerMails",
  "notifications",
  "declines",
  "disputedAddresses",
  "personalLinks",
  "bookings",
  "ownPeople",
  "shiftChanges",
  "pendingOperations",
  "jobs",
  "events",
  "eventLog",
  "shifts",
  "outlets",
  "roles",
  "providerCandidates",
  "registryImports",
  "issues",
  "rejectedWebhooks",
  "traceSteps",
  "figures",
  "work",
] as const satisfies readonly (keyof Schema)[];

/** Rows of one transaction. */
const BATCH = 1_000;
/** Of each table in one round of the upkeep: the rest waits for the next. */
const BATCHES = 100;
const BATCHES_OF_PEOPLE = 1_000;

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
  const leaving = await transact(deps, async (trx) => {
    const integration = await lockIntegration(trx, providerId);
    if (!integration.offboarding) await requireUnusedDraft(trx, integration);
    return requestDeletion(trx, deps, integration);
  });
  owners.forget(providerId);
  // Its people are forgotten in batches: a request that breaks off leaves the rest to the upkeep.
  const isDeleted = leaving.state === "draft" && (await deleteLeft(deps, leaving));
  deps.log.info(
    { providerId },
    isDeleted ? "a draft was deleted" : "the deletion of an organisation was requested",
  );
  return isDeleted ? undefined : leaving;
}

async function requireUnusedDraft(trx: Trx, { providerId, state }: Integration): Promise<void> {
  if (state !== "draft")
    throw problem("integration_not_draft", {
      detail: `The integration is ${state}. Offboard it first, or suspend it to stop its work.`,
    });
  const jobs = trx.selectFrom("jobs").select("jobId").where("providerId", "=", providerId);
  if (await jobs.limit(1).executeTakeFirst())
    throw problem("integration_in_use", {
      detail: "The integration has jobs, and candidates may be booked on them. It cannot be deleted.",
    });
}

async function requestDeletion(trx: Trx, deps: Deps, integration: Integration): Promise<Integration> {
  const { providerId, deletionRequestedAt } = integration;
  const remaining = await countRemaining(trx, integration);
  if (remaining > 0)
    throw problem("integration_in_use", {
      detail: `The provider has not confirmed yet that ${counted(remaining, "booked person", "booked people")} ${agreeing(remaining, "is", "are")} off their shifts. Wait, or offboard again and keep the bookings.`,
    });
  for (const table of ["platformTokens", "registryImports", "work"] as const)
    await trx.deleteFrom(table).where("providerId", "=", providerId).execute();
  signal(trx, importTopic(providerId));
  const at = deletionRequestedAt ?? deps.now();
  return writeIntegration(trx, providerId, { deletionRequestedAt: at });
}

/** Deletes organisations whose deletion was requested, in batches. Returns how many are gone. */
export async function deleteLeaving(deps: Deps, signal: AbortSignal): Promise<number> {
  const { kysely } = deps.database;
  const all = kysely.selectFrom("integrations").selectAll().where("deletionRequestedAt", "is not", null);
  let deleted = 0;
  for (const integration of await all.execute()) {
    if (!(await deleteLeft(deps, integration, signal))) continue;
    deps.log.info({ providerId: integration.providerId }, "an organisation was deleted");
    deleted += 1;
  }
  return deleted;
}

/** Deletes an organisation whose deletion was requested, as far as one round does. Returns whether it is gone. */
async function deleteLeft(deps: Deps, integration: Integration, signal?: AbortSignal): Promise<boolean> {
  if (!(await isEmptied(deps, integration, signal))) return false;
  return transact(deps, async (trx) => {
    if (!(await lockLeaving(trx, integration))) return false;
    return deleteRest(trx, deps, integration);
  });
}

/**
 * Returns whether it is still leaving: it may have been deleted and registered again since.
 * @throws ProblemError provider_not_found
 */
async function lockLeaving(trx: Trx, { providerId }: Integration): Promise<boolean> {
  return (await lockIntegration(trx, providerId)).deletionRequestedAt !== null;
}

/** Deletes most rows in short transactions. Returns whether few are left. */
async function isEmptied(deps: Deps, integration: Integration, signal?: AbortSignal): Promise<boolean> {
  const { providerId } = integration;
  const isLeaving = sql`exists (select 1 from integrations where provider_id = ${providerId} and deletion_requested_at is not null)`;
  let isEmpty = true;
  for (const name of TABLES) {
    const table = sql.table(name);
    for (let batch = 1; !signal?.aborted; batch += 1) {
      // In a table with a partition for each day other rows have the same ctid, of any organisation.
      const { numAffectedRows = 0n } = await sql`delete from ${table} where provider_id = ${providerId}
        and ctid = any(array(select ctid from ${table} where provider_id = ${providerId} limit ${sql.lit(BATCH)})) and ${isLeaving}`.execute(
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
    transact(
      deps,
      async (trx) => !(await lockLeaving(trx, integration)) || forgetMembers(trx, deps, providerId),
    );
  for (let batch = 1; isEmpty && !signal?.aborted && !(await forget()); batch += 1)
    if (batch >= BATCHES_OF_PEOPLE) isEmpty = false;
  return isEmpty && !signal?.aborted;
}

/** Returns false when an import has added many people meanwhile. */
async function deleteRest(trx: Trx, deps: Deps, { providerId, state }: Integration): Promise<boolean> {
  const jobs = trx.selectFrom("jobs").select("jobId").where("providerId", "=", providerId);
  await jobs.orderBy("shiftId").forUpdate().execute();
  if (!(await forgetMembers(trx, deps, providerId))) return false;
  for (const table of TABLES) await trx.deleteFrom(table).where("providerId", "=", providerId).execute();
  await trx.deleteFrom("integrations").where("providerId", "=", providerId).execute();
  publish(trx, { type: "integration", providerId, state, health: "reachable" });
  return true;
}
