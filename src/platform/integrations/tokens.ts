import { sql } from "kysely";
import type { PlatformTokenRotated } from "../../../generated/operations/types.ts";
import type { AddressLimit } from "../access/address-limit.ts";
import { changesOf } from "../access/audit.ts";
import {
  createKnownTokens,
  hashToken,
  type KnownTokens,
  makeToken,
  OVERLAP_HOURS,
  overlapEnd,
} from "../access/tokens.ts";
import type { Database } from "../db/database.ts";
import type { Integration } from "../db/schema.ts";
import { withTimeout } from "../db/with-timeout.ts";
import type { Deps } from "../deps.ts";
import { type Trx, transact } from "../transaction.ts";
import { end, writeIntegration } from "./conditions.ts";
import { lockIntegration } from "./integration.ts";

/** A database that is silent for this time is down. Milliseconds. */
const SILENCE_MS = 4_000;

/** A new PLATFORM_TOKEN, to be shown once. */
export const makePlatformToken = (): string => makeToken("spp_");

/** Makes and stores another PLATFORM_TOKEN of an organisation; returns it, which is nowhere else. */
export async function issuePlatformToken(trx: Trx, providerId: string, createdAt: Date): Promise<string> {
  const token = makePlatformToken();
  const row = { tokenHash: hashToken(token), providerId, createdAt, validUntil: null };
  await trx.insertInto("platformTokens").values(row).execute();
  return token;
}

/** The organisation of a platform token. */
export interface TokenOwner {
  providerId: string;
  kind: string;
  /** The kind before, while webhooks may still come to its path. */
  formerKind?: string;
}

export interface TokenOwners extends Pick<KnownTokens<TokenOwner>, "find"> {
  /** The tokens of the organisation were changed: they are looked up again. */
  forget(providerId: string): void;
}

export function createTokenOwners(
  { kysely }: Pick<Database, "kysely">,
  limit: AddressLimit,
  now: () => number = Date.now,
): TokenOwners {
  const known = createKnownTokens<TokenOwner>(
    async (hash, before) => {
      const tokens = kysely
        .selectFrom("platformTokens")
        .innerJoin("integrations", "integrations.providerId", "platformTokens.providerId")
        .select(["integrations.providerId", "kind", "validUntil"])
        .select(["formerKind", "formerKindUntil"])
        .where("tokenHash", "=", hash);
      // A token stays its organisation's, whose server alone is asked: the others may be away on a distributed database.
      const asked = before ? tokens.where("integrations.providerId", "=", before.providerId) : tokens;
      const row = await withTimeout(asked.executeTakeFirst(), SILENCE_MS);
      if (!row) return undefined;
      const { validUntil, formerKind, formerKindUntil: until, ...owner } = row;
      const isFormerValid = formerKind !== null && until !== null && until.getTime() > now();
      return { owner: { ...owner, ...(isFormerValid && { formerKind }) }, validUntil };
    },
    limit,
    now,
  );
  return {
    find: known.find,
    forget: (providerId) => known.forget((owner) => owner.providerId === providerId),
  };
}

/**
 * Makes a new PLATFORM_TOKEN, which is in this result and nowhere else. The one before stays valid for `overlapHours` (24 unless
 * given, 0: ends now); one that was on its way out already ends, so that two at most are valid.
 * @throws ProblemError provider_not_found
 */
export async function rotatePlatformToken(
  deps: Deps,
  owners: Pick<TokenOwners, "forget">,
  id: string,
  overlapHours = OVERLAP_HOURS,
): Promise<PlatformTokenRotated> {
  const at = deps.now();
  const validUntil = overlapEnd(at, overlapHours);
  const { providerId, platformToken } = await transact(deps, async (trx) => {
    const { providerId } = await lockIntegration(trx, id);
    deps.audit?.note({ changes: changesOf({}, { direction: "platform", overlapHours }) });
    await sql`
      update platform_tokens set valid_until = case when valid_until is null then ${validUntil}::timestamptz else ${at}::timestamptz end
      where provider_id = ${providerId} and (valid_until is null or valid_until > ${at})`.execute(trx);
    return { providerId, platformToken: await issuePlatformToken(trx, providerId, at) };
  });
  owners.forget(providerId);
  deps.log.info({ providerId, overlapHours }, "a new platform token was made");
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
    await end(trx, deps, providerId, "token_rejected");
    const sealed = deps.vault.seal(providerToken);
    return writeIntegration(trx, providerId, { providerToken: sealed, updatedAt: deps.now() });
  });
  deps.log.info({ providerId: integration.providerId }, "the provider's token was exchanged");
  return integration;
}
