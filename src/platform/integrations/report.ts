import type { ProviderReport } from "../../../generated/operations/types.ts";
import type { Deps } from "../deps.ts";
import { SHIFTS } from "./field-uses.ts";
import { requireIntegration } from "./integration.ts";

/**
 * What the provider really uses of the contract: its dialect, and in how many of its shifts each optional field had a value.
 * Other processes on the database add what they counted within seconds.
 * @throws ProblemError provider_not_found
 */
export async function providerReport({ database }: Deps, providerId: string): Promise<ProviderReport> {
  const { kysely } = database;
  const integration = await requireIntegration(kysely, providerId);
  const uses = await kysely
    .selectFrom("field_uses")
    .select(["field", "count"])
    .where("provider_id", "=", integration.provider_id)
    .orderBy("count", "desc")
    .orderBy("field")
    .execute();
  return {
    providerId: integration.provider_id,
    dialect: integration.dialect,
    shiftsRead: uses.find(({ field }) => field === SHIFTS)?.count ?? 0,
    fields: uses.filter(({ field }) => field !== SHIFTS),
  };
}
