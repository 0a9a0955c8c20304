import { sql } from "kysely";
import type { PlatformTokenRotated } from "../../../generated/operations/types.ts";
import { changesOf } from "../access/audit.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { transact } from "../transaction.ts";
import { resume } from "./health.ts";
import { lockIntegration } from "./integration.ts";
import { issuePlatformToken, type TokenOwners } from "./tokens.ts";

const HOUR_MS = 3_600_000;
/** decisions, "tokens". */
const OVERLAP_HOURS = 24;

/**
 * Makes a new PLATFORM_TOKEN, which is in this result and nowhere else. The one before stays valid for `overlapHours` (24 unless
 * given, 0: ends now); one that was on its way out already ends, so that two at most are valid.
 * @throws ProblemError provider_not_found
 */
export async function rotatePlatformToken(
  deps: Deps,
  owners: Pick<TokenOwners, "forget">,
  providerId: string,
  overlapHours = OVERLAP_HOURS,
): Promise<PlatformTokenRotated> {
  const at = deps.now();
  const validUntil = new Date(at.getTime() + overlapHours * HOUR_MS);
  const { provider_id, platformToken } = await transact(deps, async (trx) => {
    const { provider_id } = await lockIntegration(trx, providerId);
    deps.audit?.note({ changes: changesOf({}, { direction: "platform", overlapHours }) });
    await sql`
      update platform_tokens set valid_until = case when valid_until is null then ${validUntil}::timestamptz else ${at}::timestamptz end
      where provider_id = ${provider_id} and (valid_until is null or valid_until > ${at})`.execute(trx);
    return { provider_id, platformToken: await issuePlatformToken(trx, provider_id, at) };
  });
  owners.forget(provider_id);
  deps.log.info({ providerId: provider_id, overlapHours }, "a new platform token was made");
  return { platformToken, previousValidUntil: validUntil.toISOString() };
}

/**
 * Stores the PROVIDER_TOKEN that the provider issued: every call from now on carries it, and what waited for it goes on.
 * @throws ProblemError provider_not_found
 */
export async function takeProviderToken(
  deps: Deps,
  providerId: string,
  providerToken: string,
): Promise<Integration> {
  const integration = await transact(deps, async (trx) => {
    await lockIntegration(trx, providerId);
    deps.audit?.note({ changes: changesOf({}, { direction: "provider" }) });
    await resume(trx, deps, providerId);
    return trx
      .updateTable("integrations")
      .set({ provider_token: deps.vault.seal(providerToken), updated_at: deps.now() })
      .where("provider_id", "=", providerId)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
  deps.log.info({ providerId: integration.provider_id }, "the provider's token was exchanged");
  return integration;
}
