import type { Problem } from "../../../generated/operations/types.ts";

/** Why a call failed, as a page shows it. */
export interface CallError {
  title: string;
  detail?: string;
  /** Of the error catalogue; absent without a response. */
  code?: string;
  status?: number;
  /** Each fault of the request with its pointer. */
  errors?: Problem["errors"];
}

/** A call that failed. */
export class FailedCall extends Error {
  readonly details: CallError;
  constructor(details: CallError) {
    super(details.title);
    this.details = details;
  }
}

type ApiResult = { data?: unknown; error?: unknown; response: Response };
/** The body of a successful response. */
type Body<R extends ApiResult> = Extract<R, { error?: never }>["data"];

/** Returns the body of a successful response. @throws FailedCall for a problem document, or without a response. */
export async function ask<R extends ApiResult>(call: Promise<R>): Promise<Body<R>> {
  const { data, error, response } = await call.catch(() => {
    throw new FailedCall({
      title: "The platform does not respond",
      detail: "Check that it runs and that this machine reaches it. The page retries automatically.",
    });
  });
  if (response.ok) return data as Body<R>;
  throw new FailedCall(fromProblem(error, response.status));
}

function fromProblem(error: unknown, status: number): CallError {
  const known = typeof error === "object" && error !== null ? (error as Partial<Problem>) : {};
  return {
    status,
    title: known.title ?? `The platform responded with HTTP ${status}`,
    ...(known.detail !== undefined && { detail: known.detail }),
    ...(known.code !== undefined && { code: known.code }),
    ...(known.errors && { errors: known.errors }),
  };
}

export function errorOf(error: unknown): CallError {
  if (error instanceof FailedCall) return error.details;
  return { title: "The console failed", detail: String(error) };
}
