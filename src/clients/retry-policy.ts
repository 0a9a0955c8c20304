import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../contract/timestamp.ts";

// Every delay, attempt limit, and time-out of the platform's calls to providers and to the mail server. spec/decisions.md states the rules that
// they implement. All times are in milliseconds.

/** The time-out of one call to a provider. */
export const CALL_TIMEOUT_MS = 10 * SECOND_MS;

export interface RetryPolicy {
  /** The upper bound of the first delay; it doubles with each attempt. */
  baseMs: number;
  /** The upper bound of every delay. */
  capMs: number;
  /** Failed attempts in a row after which an issue is raised; from then on, one attempt each `Timing.hourlyMs`. */
  tries: number;
  /** Returns a number from 0 up to, but not including, 1. */
  random: () => number;
}

/** Retries of a piece of work (decisions, "retries to a provider"). Full jitter keeps work that failed together from being retried together. */
export const PROVIDER_RETRIES: RetryPolicy = {
  baseMs: SECOND_MS,
  capMs: 10 * MINUTE_MS,
  tries: 12,
  random: Math.random,
};

/** A longer Retry-After is cut, so that a wrong value cannot stop work for days. */
export const MAX_RETRY_AFTER_MS = HOUR_MS;

export const TIMING = {
  callTimeoutMs: CALL_TIMEOUT_MS,
  /**
   * When a shift is read again whose reading does not show what was announced, contradicts an earlier one, or does not find it: counted from the newest
   * notice, call, or disagreement. No replica lags for longer than the last.
   */
  ladderMs: [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS] as readonly number[],
  /** Between two reads of a future shift without events, because a webhook may be lost (decisions, "events that never came"). */
  reconcileMs: HOUR_MS,
  /** Between two attempts once `RetryPolicy.tries` have failed. */
  hourlyMs: HOUR_MS,
  /** Between two probes of a provider that rejects the token. */
  probeMs: MINUTE_MS,
  /** Upper bounds of the delays before each retry while an operator waits for outlets, roles, or the registry. */
  onboardingRetriesMs: [500, SECOND_MS, 2 * SECOND_MS] as readonly number[],
  /** How long a request waits for the provider before it is answered with 202. */
  answerWithinMs: 5 * SECOND_MS,
};

export type Timing = typeof TIMING;

/** No retry starts later than this while an operator waits: clients and proxies commonly give up after 30 s. */
export const ONBOARDING_LIMIT_MS = 20 * SECOND_MS;

export interface CircuitLimits {
  /** Failed calls in a row that open the circuit: the provider is then not called for a while. */
  failures: number;
  /** How long the circuit first stays open; this doubles each time that the probe fails. */
  opensForMs: number;
  /** The longest time that it stays open. */
  opensAtMostMs: number;
}

/** Returns when the circuit opens, in multiples of the first retry delay: a circuit that closed earlier would hardly spare the provider. */
export const circuitLimits = ({ baseMs }: Pick<RetryPolicy, "baseMs">): CircuitLimits => ({
  failures: 5,
  opensForMs: 5 * baseMs,
  opensAtMostMs: 60 * baseMs,
});

/** A 429 with a longer Retry-After delays its own piece of work for that long, but all other calls only for this long. */
export const MAX_PAUSE_MS = MINUTE_MS;

/** How often a closed circuit is reported while calls succeed, because another process may have reported it as open. */
export const CIRCUIT_REPORT_MS = MINUTE_MS;

/** How many deliveries of a channel are under way in a process. As many again may be, in place of those that last longer than `SLOW_MS`. */
export const CHANNEL_PLACES = 5;

/** A delivery that lasts longer leaves its place to another one. */
export const SLOW_MS = 5 * SECOND_MS;

/** The time-out of one mail, from the connection to the server's last reply. */
export const MAIL_TIMEOUT_MS = 30 * SECOND_MS;

/** The time-out of handing over one notification, to the last byte of the response. */
export const WEBHOOK_TIMEOUT_MS = 15 * SECOND_MS;

/** Between two attempts with a single mail during an outage of the mail server; all other mail waits for the next hour. */
export const MAIL_PROBE_MS = MINUTE_MS;
