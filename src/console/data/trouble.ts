import type { Problem } from "../../../generated/operations/types.ts";

/** A failed call, as a page shows it. */
export interface Trouble {
  title: string;
  detail?: string;
  /** Of the error catalogue; absent without a response. */
  code?: string;
  status?: number;
  /** Each fault of the request with its place. */
  errors?: Problem["errors"];
}

/** A call that failed. */
export class TroubleError extends Error {
  readonly trouble: Trouble;
  constructor(trouble: Trouble) {
    super(trouble.title);
    this.trouble = trouble;
  }
}

type Answer = { data?: unknown; error?: unknown; response: Response };
/** The body of a successful answer. */
type Told<A extends Answer> = Extract<A, { error?: never }>["data"];

/** Returns the data of a response. @throws TroubleError for a problem document, or without a response. */
export async function ask<A extends Answer>(call: Promise<A>): Promise<Told<A>> {
  const { data, error, response } = await call.catch(() => {
    throw new TroubleError({
      title: "The platform does not respond",
      detail: "Check that it runs and that this machine reaches it. The page retries automatically.",
    });
  });
  if (response.ok) return data as Told<A>;
  throw new TroubleError(fromProblem(error, response.status));
}

function fromProblem(error: unknown, status: number): Trouble {
  const known = typeof error === "object" && error !== null ? (error as Partial<Problem>) : {};
  return {
    status,
    title: known.title ?? `The platform answered with HTTP ${status}`,
    ...(known.detail !== undefined && { detail: known.detail }),
    ...(known.code !== undefined && { code: known.code }),
    ...(known.errors && { errors: known.errors }),
  };
}

export function troubleOf(error: unknown): Trouble {
  if (error instanceof TroubleError) return error.trouble;
  return { title: "The console failed", detail: String(error) };
}
