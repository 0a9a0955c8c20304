import { type Kysely, sql } from "kysely";
import type { BookingStatus } from "../../../generated/operations/types.ts";
import { agreeing, counted } from "../../contract/operator-text.ts";
import { problem } from "../../contract/problem.ts";
import { forgetMembers } from "../candidates/erase.ts";
import { HOLDS_SEAT } from "../db/fragments.ts";
import type { Integration, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { resolveIssues } from "../issues.ts";
import { publish } from "../stream.ts";
import { recordSteps, signal, type Trx, transact } from "../transaction.ts";
import { markShiftsDue, PRIORITY } from "../work/rows.ts";
import { selectIntegrations, writeIntegration } from "./conditions.ts";
import { lockIntegration } from "./integration.ts";
import { importTopic } from "./registry/import.ts";
import type { TokenOwners } from "./tokens.ts";

/** What belongs to an integration, beside its memberships; what refers to another table comes before it. The audit log stays. */
const TABLES = [
  "conditions",
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
  const all = selectIntegrations(deps.database.kysely).where("deletionRequestedAt", "is not", null);
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

/** What happens to the bookings on shifts that have not started. */
export type Leaving = NonNullable<Integration["offboarding"]>;

/**
 * Begins to offboard an organisation, or changes what happens to its bookings: it is suspended, and with "unassign" every candidate is taken off
 * the shifts that have not started. Activating it again ends that; those who were taken off stay off.
 * @throws ProblemError provider_not_found, integration_is_draft, integration_deleting.
 */
export async function offboard(deps: Deps, id: string, bookings: Leaving): Promise<Integration> {
  return transact(deps, async (trx) => {
    const integration = await lockIntegration(trx, id);
    const { providerId, state, offboarding, offboardingSince } = integration;
    if (state === "draft")
      throw problem("integration_is_draft", { detail: "Nothing of a draft is booked. Delete it." });
    requireStaying(integration);
    deps.audit?.note({ changes: [{ field: "offboarding", before: offboarding, after: bookings }] });
    if (bookings === "unassign") await unassignAll(trx, deps, providerId);
    // A provider that leaves may be quiet, and no later round would close the issue.
    await resolveIssues(trx, deps, { providerId, codes: ["provider_quiet"] });
    return writeIntegration(trx, providerId, {
      state: "suspended",
      offboarding: bookings,
      updatedAt: deps.now(),
      offboardingSince: offboardingSince ?? deps.now(),
    });
  });
}

/** @throws ProblemError integration_deleting */
export function requireStaying({ deletionRequestedAt }: Integration): void {
  if (deletionRequestedAt !== null)
    throw problem("integration_deleting", { detail: "Everything of the integration is being deleted." });
}

/** As if everyone had withdrawn: the provider is asked, and the seat is free once it has agreed. */
async function unassignAll(trx: Trx, deps: Deps, providerId: string): Promise<void> {
  await sql`
    select job_id from jobs where provider_id = ${providerId} and start_time > ${deps.now()}
    order by provider_id, shift_id for update`.execute(trx);
  const { rows } = await sql<Withdrawn>`
    update bookings set withdrawn_at = ${deps.now()} from jobs
    where (jobs.provider_id, jobs.job_id) = (bookings.provider_id, bookings.job_id) and start_time > ${deps.now()}
      and bookings.provider_id = ${providerId} and ${HOLDS_SEAT} and withdrawn_at is null
    returning booking_id, bookings.job_id, shift_id, candidate_id,
      bookings.status, bookings.trace_id`.execute(trx);
  for (const { shiftId, traceId, ...booking } of rows) {
    const { jobId } = booking;
    recordSteps(trx, [
      { providerId, shiftId, jobId, traceId, step: "booking", code: "withdrawal_requested" },
    ]);
    publish(trx, { type: "booking", ...booking });
  }
  const shifts = sql`select provider_id, shift_id from bookings join jobs using (provider_id, job_id)
    where provider_id = ${providerId} and withdrawn_at is not null and ${HOLDS_SEAT}`;
  await markShiftsDue(trx, deps, shifts, PRIORITY.interactive);
}

interface Withdrawn {
  bookingId: string;
  jobId: string;
  shiftId: string;
  candidateId: string;
  status: BookingStatus;
  traceId: string;
}

/** Bookings from which the provider has not taken the candidate off yet. */
export async function countRemaining(db: Kysely<Schema>, { providerId, offboarding }: Integration) {
  if (offboarding !== "unassign") return 0;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from bookings join jobs using (provider_id, job_id)
    where provider_id = ${providerId} and start_time > now() and jobs.status <> 'cancelled'
      and (${HOLDS_SEAT} or at_provider <> 'no')`.execute(db);
  return rows[0]?.count ?? 0;
}
