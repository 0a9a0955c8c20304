import { createHash, randomBytes } from "node:crypto";

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
