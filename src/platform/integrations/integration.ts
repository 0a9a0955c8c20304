import type { Kysely } from "kysely";
import { problem } from "../../contract/problem.ts";
import type { Integration, Schema } from "../db/schema.ts";
import type { Trx } from "../transaction.ts";

function findIntegration(db: Kysely<Schema>, providerId: string): Promise<Integration | undefined> {
  return db.selectFrom("integrations").selectAll().where("provider_id", "=", providerId).executeTakeFirst();
}

/** @throws ProblemError provider_not_found */
export async function requireIntegration(db: Kysely<Schema>, providerId: string): Promise<Integration> {
  return found(await findIntegration(db, providerId));
}

/**
 * Changes of one integration take turns, until the transaction ends. No stronger lock: rows that point to it may still be written.
 * @throws ProblemError provider_not_found
 */
export async function lockIntegration(trx: Trx, providerId: string): Promise<Integration> {
  const query = trx.selectFrom("integrations").selectAll().where("provider_id", "=", providerId);
  return found(await query.forNoKeyUpdate().executeTakeFirst());
}

/** Returns whether its jobs are offered and take bookings, and its events are processed. */
export async function isActive(db: Kysely<Schema>, providerId: string): Promise<boolean> {
  return (await findIntegration(db, providerId))?.state === "active";
}

function found(integration: Integration | undefined): Integration {
  if (!integration) throw problem("provider_not_found", { detail: "No integration has this providerId." });
  return integration;
}
