import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Database } from "../db/database.ts";
import { inTime } from "../db/in-time.ts";

const PREFIX = "spp_";
const KNOWN_FOR_MS = 2_000;
const KNOWN_AT_MOST = 10_000;
/** A database that is silent for so long is down. Milliseconds. */
const SILENCE_MS = 4_000;

/** A new PLATFORM_TOKEN: 32 random bytes with a prefix, to be shown once. */
export function makePlatformToken(): string {
  return PREFIX + randomBytes(32).toString("base64url");
}

/** Platform tokens are stored as this: SHA-256 in hex. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Compares without telling by its duration how much was right. */
export function isSameToken(given: string, expected: string): boolean {
  return timingSafeEqual(
    createHash("sha256").update(given).digest(),
    createHash("sha256").update(expected).digest(),
  );
}

/** The bearer token of an Authorization header (RFC 6750); undefined when there is none. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? "")?.[1];
}

/** For whom a platform token speaks. */
export interface TokenOwner {
  providerId: string;
  kind: string;
}

export interface TokenOwners {
  /** Undefined when nobody has, or any longer has, this token. */
  find(token: string): Promise<TokenOwner | undefined>;
  /** The tokens of the organisation were changed: they are looked up again. */
  forget(providerId: string): void;
}

/**
 * Looks tokens up by their hash, and knows them for two seconds: this is on the way of every webhook. In another process, which
 * cannot be told to forget, a token that was ended at once is therefore valid for two seconds at most.
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
        .select([
          "integrations.provider_id as providerId",
          "integrations.kind",
          "platform_tokens.valid_until",
        ])
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
