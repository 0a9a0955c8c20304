import { setTimeout as sleep } from "node:timers/promises";

/** A caller of a health check gives up soon, and a database that hangs is a broken one. Milliseconds. */
const IN_TIME_MS = 2_000;

/** Returns the result, or rejects once it is late. */
export async function withTimeout<T>(work: Promise<T>, ms: number = IN_TIME_MS): Promise<T> {
  const over = new AbortController();
  const late = sleep(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`no response within ${ms} ms`);
  });
  return Promise.race([work, late]).finally(() => over.abort());
}
