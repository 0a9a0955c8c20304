import { setTimeout as sleep } from "node:timers/promises";

/** Somebody waits for the answer to a request of theirs. Milliseconds. */
const PATIENCE_MS = 20_000;

interface Waiting {
  /** The longest wait before each further try; full jitter. Milliseconds. */
  waitsMs: readonly number[];
  /** Milliseconds, from anywhere. */
  now?: () => number;
  wait?: (ms: number) => Promise<unknown>;
  /** From 0 up to, not including, 1. */
  random?: () => number;
}

/**
 * Asks a provider again while it gives no answer, no sooner than it wishes (Retry-After), a few times. Whoever would have to wait too
 * long for the next try has the failure at once.
 */
export async function askPatiently<Answer extends { kind: string; retryAfterMs?: number }>(
  ask: () => Promise<Answer>,
  { waitsMs, now = () => performance.now(), wait = waitUnlessStopped, random = Math.random }: Waiting,
): Promise<Answer> {
  const until = now() + PATIENCE_MS;
  for (const longestMs of waitsMs) {
    const answer = await ask();
    if (answer.kind !== "unavailable") return answer;
    const ms = Math.max(random() * longestMs, answer.retryAfterMs ?? 0);
    if (now() + ms > until) return answer;
    await wait(ms);
  }
  return ask();
}

/** A process that stops does not stay for it. */
const waitUnlessStopped = (ms: number) => sleep(ms, undefined, { ref: false });
