import type { Transferable } from "node:worker_threads";
import type { Allowance, ProviderFetch } from "../../clients/provider/global-fetch.ts";
import { CallRefused, ProviderHttpError } from "../../clients/provider/http-error.ts";
import type { Call } from "./serve-thread.ts";

/** A request that a thread makes through the process, whose guard and limits apply. */
interface SentRequest extends Allowance {
  method: string;
  url: string;
  headers: [string, string][];
  body: string | null;
}

type Reply =
  | { status: number; headers: [string, string][]; body: ReadableStream<Uint8Array> | null }
  | { failed: SentError };

interface SentError
  extends Pick<ProviderHttpError, "failure" | "message" | "isAbort" | "code" | "brokenOff"> {
  /** Of the error behind it: the kit reads its name. */
  cause: Pick<Error, "name" | "message"> | undefined;
  /** Of a call that was not made. */
  retryAfterMs: number | undefined;
}

/** In a thread: makes the calls to the provider by the call `fetch` of the process. */
export const fetchThrough =
  (call: Call): ProviderFetch =>
  async (request, allowance) => {
    const { method, url, headers } = request;
    const body = request.body === null ? null : await request.text();
    const sent: SentRequest = { ...allowance, method, url, headers: [...headers], body };
    const reply = await call<Reply>("fetch", sent);
    if ("failed" in reply) throw rebuilt(reply.failed);
    return new Response(reply.body, reply);
  };

/** In the process: the call `fetch` of a thread. The body of a response is moved there in parts. */
export const answerFetch =
  (fetch: ProviderFetch) =>
  async ({ url, maxBytes, ...init }: SentRequest): Promise<{ value: Reply; transfer?: Transferable[] }> => {
    try {
      const allowance = maxBytes === undefined ? {} : { maxBytes };
      const { status, headers, body } = await fetch(new Request(url, init), allowance);
      const value = { status, headers: [...headers], body };
      return { value, transfer: body === null ? [] : [body as unknown as Transferable] };
    } catch (error) {
      if (error instanceof ProviderHttpError) return { value: { failed: plain(error) } };
      throw error;
    }
  };

function plain(error: ProviderHttpError): SentError {
  const { failure, message, isAbort, code, brokenOff, cause } = error;
  return {
    failure,
    message,
    isAbort,
    code,
    brokenOff,
    cause: cause instanceof Error ? { name: cause.name, message: cause.message } : undefined,
    retryAfterMs: error instanceof CallRefused ? error.retryAfterMs : undefined,
  };
}

function rebuilt({ failure, message, retryAfterMs, cause, ...details }: SentError): ProviderHttpError {
  if (retryAfterMs !== undefined) return new CallRefused(failure, message, retryAfterMs);
  const behind = cause && Object.assign(new Error(cause.message), { name: cause.name });
  return new ProviderHttpError(failure, message, { ...details, cause: behind });
}
