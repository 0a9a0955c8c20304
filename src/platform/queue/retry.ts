export interface RetryPolicy {
  /** The longest first wait; it doubles with each try. Milliseconds. */
  baseMs: number;
  /** The longest wait of our own choosing. Milliseconds. */
  capMs: number;
  /** Tries in all, the first one included. */
  tries: number;
  /** How long a task may be put off without a try before it is given up. Milliseconds. */
  patienceMs: number;
  /** From 0 up to, not including, 1. */
  random: () => number;
}

/** DECISIONS, "retries to a provider": full jitter, 1 s doubled, at most 10 min apart, 12 tries. */
export const PROVIDER_RETRIES: RetryPolicy = {
  baseMs: 1_000,
  capMs: 600_000,
  tries: 12,
  patienceMs: 24 * 3_600_000,
  random: Math.random,
};

// A Retry-After is honoured, but a provider that asks for years must not park a shift for good.
const LONGEST_ASKED_MS = 24 * 3_600_000;

/** Milliseconds until the try after `attempt` (1-based). */
export function retryDelay(policy: RetryPolicy, attempt: number, afterMs = 0): number {
  const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** (attempt - 1));
  return Math.round(Math.max(policy.random() * ceiling, Math.min(afterMs, LONGEST_ASKED_MS)));
}

// Sooner than after a try that failed: it is no burden to the other side, and it may be well again.
const PUT_OFF_CAP = 60;

/** Milliseconds until a task that was put off for the `times`th time comes again; spread, so that not all come at once. */
export function putOffDelay(policy: RetryPolicy, times: number, afterMs = 0): number {
  const ceiling = Math.min(policy.capMs, policy.baseMs * Math.min(PUT_OFF_CAP, 2 ** (times - 1)));
  return Math.round(Math.min(afterMs, LONGEST_ASKED_MS) + policy.random() * ceiling);
}
