import type { AddressLimit } from "../access/address-limit.ts";
import { createKnownTokens, type KnownTokens } from "../access/known-tokens.ts";
import { hashToken, makeToken } from "../access/token.ts";
import type { Database } from "../db/database.ts";
import { withTimeout } from "../db/with-timeout.ts";
import type { Trx } from "../transaction.ts";

/** A database that is silent for this time is down. Milliseconds. */
const SILENCE_MS = 4_000;

/** A new PLATFORM_TOKEN, to be shown once. */
export const makePlatformToken = (): string => makeToken("spp_");

/** Makes and stores another PLATFORM_TOKEN of an organisation; returns it, which is nowhere else. */
export async function issuePlatformToken(trx: Trx, provider_id: string, created_at: Date): Promise<string> {
  const token = makePlatformToken();
  const row = { token_hash: hashToken(token), provider_id, created_at, valid_until: null };
  await trx.insertInto("platform_tokens").values(row).execute();
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
        .selectFrom("platform_tokens")
        .innerJoin("integrations", "integrations.provider_id", "platform_tokens.provider_id")
        .select(["integrations.provider_id as providerId", "kind", "valid_until as validUntil"])
        .select(["former_kind", "former_kind_until"])
        .where("token_hash", "=", hash);
      // A token stays its organisation's, whose server alone is asked: the others may be away on a distributed database.
      const asked = before ? tokens.where("integrations.provider_id", "=", before.providerId) : tokens;
      const row = await withTimeout(asked.executeTakeFirst(), SILENCE_MS);
      if (!row) return undefined;
      const { validUntil, former_kind: formerKind, former_kind_until: until, ...owner } = row;
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
