export interface RetryPolicy {
  /** The longest first wait; it doubles with each attempt. Milliseconds. */
  baseMs: number;
  /** The longest wait of the platform's choosing. Milliseconds. */
  capMs: number;
  /** Attempts in a row after which an issue is raised; then one each `hourlyMs`. */
  tries: number;
  /** From 0 up to, not including, 1. */
  random: () => number;
}

/** decisions, "retries to a provider": full jitter, 1 s doubled, at most 10 min apart, 12 attempts. */
export const PROVIDER_RETRIES: RetryPolicy = {
  baseMs: 1_000,
  capMs: 600_000,
  tries: 12,
  random: Math.random,
};

/** Decided: Retry-After is honoured up to an hour. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/** When work that failed is due again, and how many attempts it counts then: a call that was not made is none. */
export function restAfter(
  { retries, timing: { hourlyMs } }: { retries: RetryPolicy; timing: { hourlyMs: number } },
  attempts: number,
  { retryAfterMs, notAsked }: { retryAfterMs?: number | undefined; notAsked?: boolean | undefined },
): { afterMs: number; attempts: number; isFirm: boolean } {
  if (notAsked) {
    const afterMs = (retryAfterMs ?? 0) + retries.random() * retries.baseMs;
    return { afterMs, attempts: Math.max(1, attempts - 1), isFirm: false };
  }
  const afterMs = retryDelay(retries, attempts, { retryAfterMs, hourlyMs });
  return { afterMs, attempts, isFirm: retryAfterMs !== undefined };
}

/** Milliseconds until the attempt after `attempts` that failed in a row. */
export function retryDelay(
  policy: RetryPolicy,
  attempts: number,
  { retryAfterMs = 0, hourlyMs }: { retryAfterMs?: number | undefined; hourlyMs: number },
): number {
  const asked = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
  if (attempts >= policy.tries) return Math.max(asked, hourlyMs);
  const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** Math.max(0, attempts - 1));
  return Math.round(Math.max(asked, policy.random() * ceiling));
}
