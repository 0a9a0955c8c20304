import { setTimeout as sleep } from "node:timers/promises";
import { CallRefused } from "./http-error.ts";

export interface RateLimits {
  perSecond: number;
  /** 0: no limit at all. */
  perMinute: number;
  /** A call that would have to wait longer is refused. Milliseconds. */
  waitMs: number;
}

export interface Rate {
  /**
   * Resolves when the call may start. Interactive calls go first: at most one other call has a start ahead of them. Each kind starts in
   * the order of its requests. @throws CallRefused
   */
  turn(signal: AbortSignal, isInteractive?: boolean): Promise<void>;
  /** The provider requested a pause. Milliseconds. */
  pause(ms: number): void;
}

export interface RateClock {
  /** Milliseconds since any fixed point; monotonic. */
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const CLOCK: RateClock = {
  now: () => performance.now(),
  wait: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** Starts of calls that several processes share: each start is reserved by one of them. */
export interface SharedStarts {
  /** Returns whether other processes call the provider too. */
  isShared(): boolean;
  /**
   * Reserves starts for this many calls. Returns in how many milliseconds each may start. It returns fewer than requested where the next
   * call would have to wait longer than `waitMs`.
   */
  reserve(count: number, limits: RateLimits, isInteractive: boolean): Promise<readonly number[]>;
  /** The provider requested a pause. Milliseconds. */
  silence(ms: number): void;
}

/** A single process has no one to share with. */
const UNSHARED: SharedStarts = {
  isShared: () => false,
  reserve: async () => [],
  silence: () => undefined,
};

/**
 * Limits the calls to one provider to a number in any second and in any minute (decisions, "rate limits"). Few of a minute's calls may start at once. The
 * others are spread evenly, so a long queue moves steadily.
 */
export function createRate(
  limits: RateLimits,
  clock: RateClock = CLOCK,
  shared: SharedStarts = UNSHARED,
): Rate {
  if (limits.perMinute === 0) return { turn: async () => undefined, pause: () => undefined };
  const own = createOwnStarts(limits, clock.now);
  const first = createReservations(limits, shared, true);
  const others = createReservations(limits, shared, false);
  const start = async (signal: AbortSignal, isInteractive: boolean) => {
    signal.throwIfAborted();
    const reserved = isInteractive ? first : others;
    const ms = shared.isShared() ? await reserved.next() : own.next(isInteractive);
    if (ms > 0) await clock.wait(ms, signal);
  };
  let before: Promise<unknown> = Promise.resolve();
  return {
    turn: (signal, isInteractive = true) => {
      if (isInteractive) return start(signal, true);
      const turn = before.then(() => start(signal, false));
      before = turn.catch(() => undefined);
      return turn;
    },
    pause: (ms) => {
      own.silence(ms);
      if (shared.isShared()) shared.silence(ms);
    },
  };
}

/** The number of calls that may start at once in a quiet minute. */
export const burstOfMinute = ({ perMinute }: RateLimits): number => Math.max(1, Math.floor(perMinute / 25));

/** The share that other calls leave to interactive ones. */
export const shareOf = (count: number, isInteractive: boolean): number =>
  isInteractive ? count : Math.max(1, Math.floor((count * 4) / 5));

const refused = (retryAfterMs: number) =>
  new CallRefused("rate_limited", "the provider's rate limit is used up", retryAfterMs);

/** The starts of a single process. */
function createOwnStarts(limits: RateLimits, now: () => number) {
  const { perSecond, perMinute, waitMs } = limits;
  const burst = burstOfMinute(limits);
  const apartMs = 60_000 / Math.max(1, perMinute - burst);
  /** When the last calls start, one second's worth of them. */
  const starts: number[] = [];
  /** When all calls so far would have started if spread evenly. */
  let spreadUntil = 0;
  let silentUntil = 0;
  return {
    next: (isInteractive: boolean) => {
      const aSecondAfter =
        (starts.at(-shareOf(perSecond, isInteractive)) ?? Number.NEGATIVE_INFINITY) + 1_000;
      const evenly = spreadUntil - (shareOf(burst, isInteractive) - 1) * apartMs;
      const start = Math.max(now(), silentUntil, aSecondAfter, evenly);
      const ms = start - now();
      if (ms > waitMs) throw refused(ms);
      insert(starts, start);
      if (starts.length > perSecond) starts.shift();
      spreadUntil = Math.max(spreadUntil, start) + apartMs;
      return ms;
    },
    silence: (ms: number) => {
      silentUntil = Math.max(silentUntil, now() + ms);
    },
  };
}

/** In their order: a waiting call may have a start ahead of later ones. */
function insert(starts: number[], start: number): void {
  const index = starts.findLastIndex((other) => other <= start) + 1;
  starts.splice(index, 0, start);
}

interface Waiting {
  resolve: (ms: number) => void;
  reject: (error: unknown) => void;
}

/** Reserves for all waiting calls, one reservation at a time. */
function createReservations(limits: RateLimits, shared: SharedStarts, isInteractive: boolean) {
  let waiting: Waiting[] = [];
  let isReserving = false;
  const reserveAll = async () => {
    isReserving = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const starts = await shared.reserve(batch.length, limits, isInteractive);
        for (const [nth, { resolve, reject }] of batch.entries()) {
          const ms = starts[nth];
          if (ms === undefined) reject(refused(limits.waitMs));
          else resolve(ms);
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isReserving = false;
  };
  return {
    next: () =>
      new Promise<number>((resolve, reject) => {
        waiting.push({ resolve, reject });
        if (!isReserving) void reserveAll();
      }),
  };
}
