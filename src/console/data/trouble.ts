import type { Problem } from "../../../generated/operations/types.ts";

/** What went wrong with a call, as a page tells it. */
export interface Trouble {
  title: string;
  detail?: string;
  /** Of the error catalogue; absent when no answer came. */
  code?: string;
  status?: number;
  /** What was wrong where in what was sent. */
  errors?: Problem["errors"];
}

/** A call that did not end well. */
export class TroubleError extends Error {
  readonly trouble: Trouble;
  constructor(trouble: Trouble) {
    super(trouble.title);
    this.trouble = trouble;
  }
}

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The data of an answer. @throws TroubleError when the answer is a problem, or none came. */
export async function ask<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call.catch(() => {
    throw new TroubleError({
      title: "The platform does not answer",
      detail: "Look whether it runs, and whether this machine reaches it. The page tries again by itself.",
    });
  });
  if (response.ok) return data as T;
  throw new TroubleError(fromProblem(error, response.status));
}

function fromProblem(error: unknown, status: number): Trouble {
  const known = typeof error === "object" && error !== null ? (error as Partial<Problem>) : {};
  return {
    status,
    title: known.title ?? `The platform answered ${status}`,
    ...(known.detail !== undefined && { detail: known.detail }),
    ...(known.code !== undefined && { code: known.code }),
    ...(known.errors && { errors: known.errors }),
  };
}

export function troubleOf(error: unknown): Trouble {
  if (error instanceof TroubleError) return error.trouble;
  return { title: "The console met a fault of its own", detail: String(error) };
}
