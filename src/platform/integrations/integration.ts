import type { Kysely } from "kysely";
import { problem } from "../../contract/problem.ts";
import type { Integration, Schema } from "../db/schema.ts";
import type { Trx } from "../transaction.ts";
import { selectIntegrations } from "./conditions.ts";

const findIntegration = (db: Kysely<Schema>, providerId: string): Promise<Integration | undefined> =>
  selectIntegrations(db, providerId).executeTakeFirst();

/** @throws ProblemError provider_not_found */
export async function requireIntegration(db: Kysely<Schema>, providerId: string): Promise<Integration> {
  return found(await findIntegration(db, providerId));
}

/**
 * Changes of one integration take turns, until the transaction ends. No stronger lock: rows that point to it may still be written.
 * @throws ProblemError provider_not_found
 */
export async function lockIntegration(trx: Trx, providerId: string): Promise<Integration> {
  return found(await selectIntegrations(trx, providerId).forNoKeyUpdate().executeTakeFirst());
}

/**
 * The integration stays, and stays as it is registered, until the transaction ends.
 * @throws ProblemError provider_not_found; integration_changed when it is called in another way than `read` was
 */
export async function lockUnchangedIntegration(trx: Trx, read: Integration): Promise<void> {
  const now = await lockIntegration(trx, read.providerId);
  if (isSameConnection(now, read)) return;
  throw problem("integration_changed", {
    detail: "The provider was read as it was registered before. Read it again.",
  });
}

/** Whether both are called in the same way. Sealing the same token gives a different text each time. */
export function isSameConnection(one: Integration, other: Integration): boolean {
  const columns = ["baseUrl", "routing", "routingSource", "providerToken"] as const;
  return columns.every((column) => one[column] === other[column]);
}

/** Returns whether its jobs are offered and take bookings, and its events are processed. */
export async function isActive(db: Kysely<Schema>, providerId: string): Promise<boolean> {
  return (await findIntegration(db, providerId))?.state === "active";
}

function found(integration: Integration | undefined): Integration {
  if (!integration) throw problem("provider_not_found", { detail: "No integration has this providerId." });
  return integration;
}
