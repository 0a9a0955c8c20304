import { createHash, timingSafeEqual } from "node:crypto";

/** Returns the bearer token of an Authorization header; undefined if the header has no such token. The scheme is case-insensitive (RFC 6750). */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? "")?.[1];
}

/** Compares in a time that does not depend on how much is right. */
export function isSameToken(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
