import type { FailureCode } from "../../../generated/operations/types.ts";

/** How much of an answer came before it broke off. Bytes. */
export interface BrokenOff {
  received: number;
  /** Its Content-Length. */
  announced?: number;
}

type Details = ErrorOptions & {
  isAbort?: boolean;
  code?: string | undefined;
  brokenOff?: BrokenOff | undefined;
};

/** No usable answer came. The message names no URL, because a query may hold a personal number. */
export class ProviderHttpError extends Error {
  override readonly name: string = "ProviderHttpError";
  /** We gave up ourselves, before the time limit. */
  readonly isAbort: boolean;
  /** The time limit passed. */
  readonly isTimeout: boolean;
  readonly failure: FailureCode;
  /** The system's code of a connection error. */
  readonly code: string | undefined;
  /** Undefined when not even the headers of an answer came. */
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

/** The provider was not asked at all: it is left alone for a while, or its rate limit is used up. */
export class CallRefused extends ProviderHttpError {
  override readonly name = "CallRefused";
  /** When to come again. Milliseconds. */
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

/** What was thrown, as the failure of a call. */
export function failureOf(thrown: unknown, isAbort: boolean): ProviderHttpError {
  const brokenOff = thrown instanceof BodyBrokenOff ? thrown.brokenOff : undefined;
  const error = thrown instanceof BodyBrokenOff ? thrown.cause : thrown;
  const details = { cause: error, isAbort, brokenOff };
  if (error instanceof Error && error.name === "TimeoutError")
    return new ProviderHttpError("timeout", "no complete answer within the time limit", details);
  if (error instanceof Error && error.name === "AbortError")
    return new ProviderHttpError("aborted", "the call was aborted", details);
  const code = error instanceof Error ? (codeOf(error.cause) ?? codeOf(error)) : undefined;
  const message = code === undefined ? "the connection failed" : `the connection failed: ${code}`;
  return new ProviderHttpError("connection_failed", message, { ...details, code });
}

/** The system's code of an error. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : undefined;
}
