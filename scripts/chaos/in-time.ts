import { setTimeout as sleep } from "node:timers/promises";

/** Resolves with `what`, or when so much time is over. Milliseconds. */
export async function inTime(what: Promise<unknown>, ms: number): Promise<void> {
  const over = new AbortController();
  const timer = sleep(Math.max(0, ms), undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([what, timer]);
  over.abort();
}
