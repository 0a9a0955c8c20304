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
 * Retries a read a few times while the provider gives no usable response, no sooner than Retry-After allows. Returns the failure at
 * once if the wait for the next attempt would be too long, or the response is.
 */
export async function readWithRetries<
  Answer extends { kind: string; failure?: string; retryAfterMs?: number },
>(
  read: () => Promise<Answer>,
  { waitsMs, now = () => performance.now(), wait = waitUnlessStopped, random = Math.random }: Waiting,
): Promise<Answer> {
  const until = now() + ONBOARDING_LIMIT_MS;
  for (const longestMs of waitsMs) {
    const answer = await read();
    if (answer.kind !== "unavailable" || answer.failure === "response_too_long") return answer;
    const ms = Math.max(random() * longestMs, answer.retryAfterMs ?? 0);
    if (now() + ms > until) return answer;
    await wait(ms);
  }
  return read();
}

/** Does not keep a process alive that stops. */
const waitUnlessStopped = (ms: number) => sleep(ms, undefined, { ref: false });
