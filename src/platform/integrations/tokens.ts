import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Database } from "../db/database.ts";
import { inTime } from "../db/in-time.ts";
import type { Trx } from "../transaction.ts";

const PREFIX = "spp_";
const KNOWN_FOR_MS = 2_000;
const KNOWN_AT_MOST = 10_000;
/** A database that is silent for so long is down. Milliseconds. */
const SILENCE_MS = 4_000;

/** A new PLATFORM_TOKEN: 32 random bytes with a prefix, to be shown once. */
export function makePlatformToken(): string {
  return PREFIX + randomBytes(32).toString("base64url");
}

/** Makes and stores another PLATFORM_TOKEN of an organisation; returns it, which is nowhere else. */
export async function issuePlatformToken(trx: Trx, provider_id: string, created_at: Date): Promise<string> {
  const token = makePlatformToken();
  const row = { token_hash: hashToken(token), provider_id, created_at, valid_until: null };
  await trx.insertInto("platform_tokens").values(row).execute();
  return token;
}

const sha256 = (text: string) => createHash("sha256").update(text);

/** Platform tokens are stored as this: SHA-256 in hex. */
export const hashToken = (token: string): string => sha256(token).digest("hex");

/** Compares in a time that does not depend on how much is right. */
export function isSameToken(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given).digest(), sha256(expected).digest());
}

/** The bearer token of an Authorization header (RFC 6750); undefined when there is none. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? "")?.[1];
}

/** The organisation of a platform token. */
export interface TokenOwner {
  providerId: string;
  kind: string;
}

export interface TokenOwners {
  /** Undefined when the token is unknown or no longer valid. */
  find(token: string): Promise<TokenOwner | undefined>;
  /** The tokens of the organisation were changed: they are looked up again. */
  forget(providerId: string): void;
}

/**
 * Looks tokens up by their hash, and caches them for two seconds: every webhook needs one. In another process, which does not learn of a
 * change, a token that was ended at once is therefore valid for two seconds at most.
 */
export function createTokenOwners(
  { kysely }: Pick<Database, "kysely">,
  now: () => number = Date.now,
): TokenOwners {
  const known = new Map<string, { owner: TokenOwner; until: number }>();
  let forgotten = 0;
  return {
    find: async (token) => {
      const hash = hashToken(token);
      const hit = known.get(hash);
      if (hit && hit.until > now()) return hit.owner;
      known.delete(hash);
      const before = forgotten;
      const asked = kysely
        .selectFrom("platform_tokens")
        .innerJoin("integrations", "integrations.provider_id", "platform_tokens.provider_id")
        .select(["integrations.provider_id as providerId", "kind", "valid_until"])
        .where("token_hash", "=", hash)
        .executeTakeFirst();
      const row = await inTime(asked, SILENCE_MS);
      if (!row || (row.valid_until !== null && row.valid_until.getTime() <= now())) return undefined;
      const owner = { providerId: row.providerId, kind: row.kind };
      if (known.size >= KNOWN_AT_MOST) known.clear();
      const until = Math.min(now() + KNOWN_FOR_MS, row.valid_until?.getTime() ?? Number.POSITIVE_INFINITY);
      // What was read before a change must not be known after it.
      if (before === forgotten) known.set(hash, { owner, until });
      return owner;
    },
    forget: (providerId) => {
      forgotten += 1;
      for (const [hash, { owner }] of known) if (owner.providerId === providerId) known.delete(hash);
    },
  };
}
