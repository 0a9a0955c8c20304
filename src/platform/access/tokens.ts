import { createHash, randomBytes } from "node:crypto";
import type { AddressLimit } from "./address-limit.ts";

/** A new token: a prefix and 32 random bytes, to be shown once. */
export const makeToken = (prefix: string): string => prefix + randomBytes(32).toString("base64url");

/** For how many hours a replaced token stays valid, unless given (decisions, "tokens"). */
export const OVERLAP_HOURS = 24;

/** For how many days a token of an operator is valid, unless given. */
export const VALID_DAYS = 365;

/** Returns until when a token that was replaced at this time stays valid. */
export const overlapEnd = (at: Date, hours: number): Date => new Date(at.getTime() + hours * 3_600_000);

/** Tokens that the platform issues are stored as this: SHA-256 in hex. */
export const hashToken = (token: string): string => createHash("sha256").update(token).digest("hex");

const KNOWN_FOR_MS = 2_000;
const KNOWN_AT_MOST = 10_000;

/** The owner of a token, and until when the token is valid. */
export interface Holding<Owner> {
  owner: Owner;
  validUntil: Date | null;
}

interface Found<Owner> {
  owner?: Owner;
  expired?: Date | undefined;
}

export interface KnownTokens<Owner> {
  /**
   * Returns the owner of a token; undefined when the token is unknown or no longer valid.
   * @throws ProblemError rate_limited, or what `refuseExpired` throws.
   */
  find(token: string, address: string): Promise<Owner | undefined>;
  /** The token was issued here: it counts as accepted before. */
  accept(token: string): void;
  /** The tokens of these owners were changed: they are looked up again. */
  forget(isChanged: (owner: Owner) => boolean): void;
}

/**
 * Looks tokens up by their hash, and caches them for two seconds, because every request needs one. In another process, which does not learn
 * of a change, a token that was ended at once is therefore valid for two seconds at most. A token that this process has accepted before is
 * looked up whatever others at its address do.
 * @param read `before` is the owner that it found for the token before
 */
export function createKnownTokens<Owner>(
  read: (hash: string, before: Owner | undefined) => Promise<Holding<Owner> | undefined>,
  limit: AddressLimit,
  now: () => number,
  refuseExpired: (validUntil: Date) => void = () => undefined,
): KnownTokens<Owner> {
  const known = new Map<string, { owner: Owner; until: number }>();
  const accepted = new Map<string, Owner | undefined>();
  let reading = new Map<string, Promise<Found<Owner>>>();
  let forgotten = 0;

  const accept = (hash: string, owner?: Owner) => {
    if (accepted.size >= KNOWN_AT_MOST) accepted.clear();
    accepted.set(hash, owner);
  };
  const find = async (hash: string): Promise<Found<Owner>> => {
    const before = forgotten;
    const { owner, validUntil } = (await read(hash, accepted.get(hash))) ?? { validUntil: null };
    const expired = validUntil !== null && validUntil.getTime() <= now() ? validUntil : undefined;
    if (owner === undefined || expired) {
      accepted.delete(hash);
      return { expired };
    }
    accept(hash, owner);
    if (known.size >= KNOWN_AT_MOST) known.clear();
    const until = Math.min(now() + KNOWN_FOR_MS, validUntil?.getTime() ?? Number.POSITIVE_INFINITY);
    // What was read before a change must not be known after it.
    if (before === forgotten) known.set(hash, { owner, until });
    return { owner };
  };
  /** Requests that arrive together share one look-up. */
  const findOnce = (hash: string) => {
    const under = reading.get(hash);
    if (under) return under;
    const shared = reading;
    const finding = find(hash).finally(() => shared.delete(hash));
    shared.set(hash, finding);
    return finding;
  };
  return {
    find: async (token, address) => {
      const hash = hashToken(token);
      const hit = known.get(hash);
      if (hit && hit.until > now()) return hit.owner;
      known.delete(hash);
      let expired: Date | undefined;
      const lookUp = async () => {
        const found = await findOnce(hash);
        expired = found.expired;
        return found.owner;
      };
      const owner = await (accepted.has(hash) ? lookUp() : limit.run(address, lookUp));
      if (expired) refuseExpired(expired);
      return owner;
    },
    accept: (token) => accept(hashToken(token)),
    forget: (isChanged) => {
      forgotten += 1;
      reading = new Map();
      for (const [hash, { owner }] of known) if (isChanged(owner)) known.delete(hash);
    },
  };
}
