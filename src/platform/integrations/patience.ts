import { setTimeout as sleep } from "node:timers/promises";
import { ONBOARDING_LIMIT_MS } from "../../clients/retry-policy.ts";

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
 * Retries a call a few times while the provider gives no usable response, no sooner than it wishes (Retry-After). Returns the failure at
 * once where the wait for the next try would be too long.
 */
export async function askPatiently<Answer extends { kind: string; retryAfterMs?: number }>(
  ask: () => Promise<Answer>,
  { waitsMs, now = () => performance.now(), wait = waitUnlessStopped, random = Math.random }: Waiting,
): Promise<Answer> {
  const until = now() + ONBOARDING_LIMIT_MS;
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
