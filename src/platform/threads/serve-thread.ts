import { parentPort, type Transferable, workerData } from "node:worker_threads";
import type { Allowance, ProviderFetch } from "../../clients/provider/global-fetch.ts";
import { CallRefused, ProviderHttpError } from "../../clients/provider/http-error.ts";

/** What a thread calls in the process that started it. */
export interface CallMade {
  id: number;
  name: string;
  argument: unknown;
}

/** What a thread posts. */
export type FromThread = { call: CallMade } | { result: unknown } | { failed: PlainError };

/** The value of a call. */
export interface Returned {
  id: number;
  value: unknown;
}

/** Errors lose their class between threads. */
export type PlainError = Pick<Error, "message" | "stack">;

/** Makes a call in the process that started this thread. Never rejects: a call that fails ends the thread. */
export type Call = <Value>(name: string, argument: unknown) => Promise<Value>;

/** Runs in a thread that `Threads.run` started, and posts the result. Does nothing outside of a thread. */
export async function serveThread<Input, Result>(
  run: (input: Input, call: Call) => Promise<Result>,
): Promise<void> {
  const port = parentPort;
  if (!port) return;
  const post = (message: FromThread) => port.postMessage(message);
  const waiting = new Map<number, (value: unknown) => void>();
  port.on("message", ({ id, value }: Returned) => {
    waiting.get(id)?.(value);
    waiting.delete(id);
  });
  let last = 0;
  const call = <Value>(name: string, argument: unknown) =>
    new Promise<Value>((resolve) => {
      last += 1;
      waiting.set(last, (value) => resolve(value as Value));
      post({ call: { id: last, name, argument } });
    });
  try {
    post({ result: await run(workerData, call) });
  } catch (error) {
    post({ failed: plain(error) });
  }
}

const plain = (error: unknown): PlainError =>
  error instanceof Error
    ? { message: error.message, ...(error.stack && { stack: error.stack }) }
    : { message: String(error) };

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
      if (error instanceof ProviderHttpError) return { value: { failed: plainHttpError(error) } };
      throw error;
    }
  };

function plainHttpError(error: ProviderHttpError): SentError {
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
