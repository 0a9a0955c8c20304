import { ProviderHttpError } from "../clients/provider/http-error.ts";
import type { CheckProvider, ProviderFinding } from "../platform/deps.ts";
import { answerFetch } from "../platform/threads/serve-thread.ts";
import { createThreads, type ThreadOptions } from "../platform/threads/threads.ts";
import { workerFile } from "../platform/worker-file.ts";

/** Usually half a minute; a provider that is slow, and limits its rate, needs a few. Milliseconds. */
const LASTS_MS = 5 * 60_000;

/** Returns the platform's check of a provider. Each check has a thread of its own: what a provider sends must not stop the platform. */
export function createProviderCheck(options: Partial<ThreadOptions> = {}): CheckProvider {
  const file = workerFile(new URL("./check-worker.ts", import.meta.url));
  const threads = createThreads({ file, lastsMs: LASTS_MS, ...options });
  return ({ fetch, signal, ...target }) =>
    threads.run<ProviderFinding[]>(target, { fetch: answerFetch(fetch), tooMuch }, signal);
}

/** Ends the thread. */
async function tooMuch(): Promise<never> {
  throw new ProviderHttpError("processing_limit", "the responses are too long together");
}
