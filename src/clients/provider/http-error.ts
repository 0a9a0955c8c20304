import type { FailureCode } from "../../../generated/operations/types.ts";

/** How much of a response arrived before it broke off. Bytes. */
export interface BrokenOff {
  status: number;
  received: number;
  /** Its Content-Length. */
  announced?: number;
}

type Details = ErrorOptions & {
  isAbort?: boolean;
  code?: string | undefined;
  brokenOff?: BrokenOff | undefined;
};

/** A call without a usable response. The message names no URL, because a query may hold a personal number. */
export class ProviderHttpError extends Error {
  override readonly name: string = "ProviderHttpError";
  /** The caller aborted the call, before the time limit. */
  readonly isAbort: boolean;
  /** The time limit passed. */
  readonly isTimeout: boolean;
  readonly failure: FailureCode;
  /** The operating system's code of a connection error. */
  readonly code: string | undefined;
  /** Undefined when not even the headers of a response arrived. */
  readonly brokenOff: BrokenOff | undefined;

  constructor(failure: FailureCode, message: string, details: Details = {}) {
    const { isAbort = false, code, brokenOff, ...options } = details;
    super(message, options);
    this.failure = failure;
    this.code = code;
    this.brokenOff = brokenOff;
    this.isAbort = isAbort;
    this.isTimeout = this.cause instanceof Error && this.cause.name === "TimeoutError";
  }
}

/** A call that was not made: the circuit is open, or the rate limit is used up. */
export class CallRefused extends ProviderHttpError {
  override readonly name = "CallRefused";
  /** When to retry. Milliseconds. */
  readonly retryAfterMs: number;

  constructor(failure: FailureCode, message: string, retryAfterMs: number) {
    super(failure, message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The body ended early, for the reason in `cause`. */
export class BodyBrokenOff extends Error {
  readonly brokenOff: BrokenOff;

  constructor(brokenOff: BrokenOff, cause: unknown) {
    super("the body broke off", { cause });
    this.brokenOff = brokenOff;
  }
}

/** Returns what was thrown as the failure of a call. */
export function failureOf(thrown: unknown, isAbort: boolean): ProviderHttpError {
  const brokenOff = thrown instanceof BodyBrokenOff ? thrown.brokenOff : undefined;
  const error = thrown instanceof BodyBrokenOff ? thrown.cause : thrown;
  const details = { cause: error, isAbort, brokenOff };
  if (error instanceof Error && error.name === "TimeoutError")
    return new ProviderHttpError("timeout", "no complete response within the time limit", details);
  if (error instanceof Error && error.name === "AbortError")
    return new ProviderHttpError("aborted", "the call was aborted", details);
  const code = error instanceof Error ? (codeOf(error.cause) ?? codeOf(error)) : undefined;
  const message = code === undefined ? "the connection failed" : `the connection failed: ${code}`;
  return new ProviderHttpError("connection_failed", message, { ...details, code });
}

/** Returns the operating system's code of an error. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** The longest response to any call but that of the registry (decisions, "size of a provider's responses"). Bytes. */
export const LONGEST_RESPONSE = 1_000_000;

/** The longest page of a registry, for the platform and the kit: some 20,000 people of a provider that does not support pages. Bytes. */
export const LONGEST_REGISTRY = 10_000_000;

/** The most entries of a registry, in one response or in all pages together. */
export const MOST_REGISTERED = 100_000;

/** The most entries of any other list. */
export const MOST_ENTRIES = 10_000;

/** A list that is too long, of which no entry was judged. */
export const tooMany = (most: number) => `must have at most ${most} items`;
