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
   * Resolves when the call may start. Interactive calls go first: of the others only one at a time has a start ahead of it. Each kind starts in the
   * order in which it asked. @throws CallRefused
   */
  turn(signal: AbortSignal, isInteractive?: boolean): Promise<void>;
  /** The provider asked for silence. Milliseconds. */
  pause(ms: number): void;
}

export interface RateClock {
  /** Milliseconds, from anywhere; never set back. */
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const CLOCK: RateClock = {
  now: () => performance.now(),
  wait: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** Starts of calls that several processes share: each start is reserved by one of them. */
export interface SharedStarts {
  /** Whether other processes call the provider too. */
  isShared(): boolean;
  /**
   * Reserves starts for so many calls. Returns in how many milliseconds each may start; fewer than asked for where the next would have to wait
   * for longer than `waitMs`.
   */
  reserve(count: number, limits: RateLimits, isInteractive: boolean): Promise<readonly number[]>;
  /** The provider asked for silence. Milliseconds. */
  silence(ms: number): void;
}

/** Alone, a process needs to ask no one. */
const UNSHARED: SharedStarts = {
  isShared: () => false,
  reserve: async () => [],
  silence: () => undefined,
};

/**
 * Holds the calls to one provider to so many in any second and in any minute (decisions, "rate limits"). Of a minute's calls few may come at once; the
 * rest is spread evenly, so that a long queue moves steadily instead of standing still for most of each minute.
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

/** How many calls may start at once in a quiet minute. */
export const burstOfMinute = ({ perMinute }: RateLimits): number => Math.max(1, Math.floor(perMinute / 25));

/** What calls that are not interactive leave to those that are. */
export const shareOf = (count: number, isInteractive: boolean): number =>
  isInteractive ? count : Math.max(1, Math.floor((count * 4) / 5));

const refused = (retryAfterMs: number) =>
  new CallRefused("rate_limited", "the provider's rate limit is used up", retryAfterMs);

/** The starts of one process that is alone. */
function createOwnStarts(limits: RateLimits, now: () => number) {
  const { perSecond, perMinute, waitMs } = limits;
  const burst = burstOfMinute(limits);
  const apartMs = 60_000 / Math.max(1, perMinute - burst);
  /** When the last calls start, a second's worth of them. */
  const starts: number[] = [];
  /** When all calls so far would have started, had they been spread evenly. */
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

/** In their order: one that waits may have a start ahead of those that come later. */
function insert(starts: number[], start: number): void {
  const index = starts.findLastIndex((other) => other <= start) + 1;
  starts.splice(index, 0, start);
}

interface Waiting {
  resolve: (ms: number) => void;
  reject: (error: unknown) => void;
}

/** Reserves for all calls that wait at once, one reservation at a time. */
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
