import { MAX_RETRY_AFTER_MS, type RetryPolicy, type Timing } from "../../clients/retry-policy.ts";
import type { NextAttempt } from "./rows.ts";

interface Policy {
  retries: RetryPolicy;
  timing: Pick<Timing, "hourlyMs">;
}

/** What a failed call implies for the next attempt. `notAsked`: the call was never made. */
interface Failure {
  retryAfterMs?: number | undefined;
  notAsked?: boolean | undefined;
}

/** Returns when failed work is due again, and how many attempts it then counts: a call that was not made does not count. */
export function retryAfterFailure(
  { retries, timing }: Policy,
  attempts: number,
  { retryAfterMs, notAsked }: Failure,
): Pick<Required<NextAttempt>, "attempts" | "isFirm" | "isDeferred"> & { afterMs: number } {
  if (notAsked) {
    const afterMs = (retryAfterMs ?? 0) + retries.random() * retries.baseMs;
    return { afterMs, attempts: Math.max(1, attempts - 1), isFirm: false, isDeferred: true };
  }
  const afterMs = retryDelay(retries, attempts, { retryAfterMs, hourlyMs: timing.hourlyMs });
  const isFirm = retryAfterMs !== undefined;
  return { afterMs, attempts, isFirm, isDeferred: isFirm };
}

/** Returns the milliseconds until the next attempt, after `attempts` failed in a row. */
export function retryDelay(
  policy: RetryPolicy,
  attempts: number,
  { retryAfterMs = 0, hourlyMs }: { retryAfterMs?: number | undefined; hourlyMs: number },
): number {
  const requested = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
  if (attempts >= policy.tries) return Math.max(requested, hourlyMs);
  const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** Math.max(0, attempts - 1));
  return Math.round(Math.max(requested, policy.random() * ceiling));
}
