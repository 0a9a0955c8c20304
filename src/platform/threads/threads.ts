import { Worker } from "node:worker_threads";
import { ProviderHttpError } from "../../clients/provider/http-error.ts";
import { createSemaphore } from "../../clients/provider/rate.ts";
import type { Calls, Threads } from "../deps.ts";
import { workerFlags } from "../worker-file.ts";
import type { CallMade, FromThread, PlainError, Returned } from "./serve-thread.ts";

/** Limits of the threads that judge what a provider sent, which may cost any amount of time and memory. */
export interface ThreadLimits {
  /** The most threads at once. Others wait. */
  atOnce: number;
  /** A thread that has not been idle for so long is ended. Milliseconds. */
  computesMs: number;
  /** The longest time of a thread. Milliseconds. */
  lastsMs: number;
  /** Well above what the longest response needs: V8 ends the whole process when a single allocation exceeds it. Megabytes. */
  memoryMb: number;
}

export interface ThreadOptions extends Partial<ThreadLimits> {
  /** Its module, which calls `serveThread`. */
  file: URL;
}

const LIMITS: ThreadLimits = { atOnce: 4, computesMs: 30_000, lastsMs: 2 ** 31 - 1, memoryMb: 1_024 };

/** Creates the threads of one module. */
export function createThreads({ file, ...limits }: ThreadOptions): Threads {
  const { atOnce, ...rest } = { ...LIMITS, ...limits };
  const places = createSemaphore({ atOnce: () => atOnce, waiting: Number.POSITIVE_INFINITY });
  const closing = new AbortController();
  return {
    run: (input, calls, signal = closing.signal) => {
      const either = AbortSignal.any([signal, closing.signal]);
      return places.hold(() => runThread({ file, input, calls, signal: either, ...rest }), either, true);
    },
    close: () => closing.abort(new Error("the platform is shutting down")),
  };
}

interface Task extends Omit<ThreadLimits, "atOnce"> {
  file: URL;
  input: object;
  calls: Calls;
  signal: AbortSignal;
}

async function runThread<Result>({ file, input, calls, signal, ...limits }: Task): Promise<Result> {
  const resourceLimits = { maxOldGenerationSizeMb: limits.memoryMb };
  const worker = new Worker(file, { workerData: input, execArgv: workerFlags(), resourceLimits });
  worker.unref();
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  worker.on("message", (message: FromThread) => {
    if ("result" in message) resolve(message.result as Result);
    else if ("failed" in message) reject(rebuilt(message.failed));
    else answerCall(worker, calls, message.call).catch(reject);
  });
  worker.on("messageerror", reject);
  worker.on("error", (error) => reject(isOutOfMemory(error) ? overLimit("memory", error) : error));
  worker.on("exit", (code) => reject(new Error(`a thread ended with code ${code}`)));
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  const watch = setInterval(endIfBusy(worker, reject), limits.computesMs).unref();
  const deadline = setTimeout(() => reject(overLimit("time")), limits.lastsMs).unref();
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    clearInterval(watch);
    clearTimeout(deadline);
    await worker.terminate();
  }
}

async function answerCall(worker: Worker, calls: Calls, { id, name, argument }: CallMade): Promise<void> {
  const { value, transfer = [] } = (await calls[name]?.(argument as never)) ?? {};
  worker.postMessage({ id, value } satisfies Returned, transfer);
}

/** Returns a check for threads that compute without a pause. One that waits for a call or a timer is idle. */
function endIfBusy(worker: Worker, end: (error: Error) => void): () => void {
  // While it starts, it has not been idle.
  let before = -1;
  return () => {
    const { idle } = worker.performance.eventLoopUtilization();
    if (idle === before) end(overLimit("time"));
    before = idle;
  };
}

const isOutOfMemory = (error: unknown) =>
  (error as { code?: unknown } | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY";

const overLimit = (what: "time" | "memory", cause?: unknown) =>
  new ProviderHttpError("processing_limit", `the provider's responses took too much ${what} to process`, {
    cause,
  });

function rebuilt({ message, stack }: PlainError): Error {
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
