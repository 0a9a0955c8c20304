import { sql } from "kysely";
import type { PlatformTokenRotated } from "../../../generated/operations/types.ts";
import { changesOf } from "../access/audit.ts";
import { OVERLAP_HOURS, overlapEnd } from "../access/token.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { transact } from "../transaction.ts";
import { resumeCalls } from "./health.ts";
import { lockIntegration, writeIntegration } from "./integration.ts";
import { issuePlatformToken, type TokenOwners } from "./tokens.ts";

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
  const validUntil = overlapEnd(at, overlapHours);
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
export async function storeProviderToken(
  deps: Deps,
  providerId: string,
  providerToken: string,
): Promise<Integration> {
  const integration = await transact(deps, async (trx) => {
    await lockIntegration(trx, providerId);
    deps.audit?.note({ changes: changesOf({}, { direction: "provider" }) });
    await resumeCalls(trx, deps, providerId);
    const provider_token = deps.vault.seal(providerToken);
    return writeIntegration(trx, providerId, { provider_token, updated_at: deps.now() });
  });
  deps.log.info({ providerId: integration.provider_id }, "the provider's token was exchanged");
  return integration;
}
