import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A new token: a prefix and 32 random bytes, to be shown once. */
export const makeToken = (prefix: string): string => prefix + randomBytes(32).toString("base64url");

const sha256 = (text: string) => createHash("sha256").update(text);

/** Tokens that the platform issues are stored as this: SHA-256 in hex. */
export const hashToken = (token: string): string => sha256(token).digest("hex");

/** Compares in a time that does not depend on how much is right. */
export function isSameToken(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given).digest(), sha256(expected).digest());
}

/** The bearer token of an Authorization header (RFC 6750); undefined when there is none. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? "")?.[1];
}
