import { HOUR_MS } from "../../../src/contract/durations.ts";
import type { PlatformOptions } from "../../../src/platform/main.ts";

/** The delays of the platform, by the names of its options. Milliseconds. */
export interface Pace {
  timing?: {
    /** When a shift is read again, counted from the newest notice, call, or disagreement. */
    ladderMs?: readonly number[];
    /** Between two probes of a paused integration. */
    probeMs?: number;
    /** Between two reads of each known future shift. */
    reconcileMs?: number;
    /** Until the next attempt after all attempts have failed. */
    hourlyMs?: number;
    /** How long a request waits for the provider before it is answered 202. */
    answerWithinMs?: number;
  };
  retries?: { baseMs?: number; capMs?: number; tries?: number };
  providerTimeoutMs?: number;
  calls?: { perMinute?: number; opensForMs?: number; opensAtMostMs?: number; atOnce?: number };
  now?: () => Date;
}

/** The limit of one call to the provider. Late effects in tests must occur within it: the platform waits one time-out. */
export const TIMEOUT_MS = 1_000;

/**
 * Every delay within a scenario is a fraction of a second. The periodic read, which could conceal a missing reaction, is as rare as in
 * production.
 */
const PACE = {
  timing: {
    ladderMs: [50, 150, 350, 700],
    probeMs: 100,
    reconcileMs: HOUR_MS,
    hourlyMs: 500,
    answerWithinMs: 300,
  },
  retries: { baseMs: 20, capMs: 200, tries: 12 },
  providerTimeoutMs: TIMEOUT_MS,
  calls: { perMinute: 0, opensForMs: 50, opensAtMostMs: 200 },
} satisfies Pace;

/** Returns the options of a platform with these delays, and the given ones. */
export function paced({ timing, retries, calls, ...rest }: Pace = {}): PlatformOptions {
  const options: Pace = {
    ...PACE,
    ...rest,
    timing: { ...PACE.timing, ...timing },
    retries: { ...PACE.retries, ...retries },
    calls: { ...PACE.calls, ...calls },
  };
  return options as PlatformOptions;
}
