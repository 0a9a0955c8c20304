import { setTimeout as sleep } from "node:timers/promises";
import { CallRefused } from "./http.ts";

export interface RateLimits {
  perSecond: number;
  /** 0: no limit at all. */
  perMinute: number;
  /** A call that would have to wait longer is refused. Milliseconds. */
  waitMs: number;
}

export interface Rate {
  /** Resolves when the call may start; calls start in the order in which they asked. @throws CallRefused */
  turn(signal: AbortSignal): Promise<void>;
  /** The provider asked for silence. Milliseconds. */
  pause(ms: number): void;
}

export interface RateClock {
  /** Milliseconds since 1970. */
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const CLOCK: RateClock = {
  now: Date.now,
  wait: (ms, signal) => sleep(ms, undefined, { signal }),
};

/**
 * Holds the calls to one provider to so many in any second and in any minute (DECISIONS, "rate limits"). Of a minute's calls a
 * fifth may come at once; the rest is spread evenly, so that a long queue moves steadily instead of standing still for most of
 * each minute.
 */
export function createRate({ perSecond, perMinute, waitMs }: RateLimits, clock: RateClock = CLOCK): Rate {
  if (perMinute === 0) return { turn: async () => undefined, pause: () => undefined };
  const burst = Math.max(1, Math.floor(perMinute / 5));
  const apartMs = 60_000 / Math.max(1, perMinute - burst);
  /** When the last calls start, a second's worth of them. */
  const starts: number[] = [];
  /** When all calls so far would have started, had they been spread evenly. */
  let spreadUntil = 0;
  let silentUntil = 0;

  const earliest = () => {
    const aSecondAfter = starts.length < perSecond ? 0 : (starts[0] ?? 0) + 1_000;
    return Math.max(clock.now(), silentUntil, aSecondAfter, spreadUntil - (burst - 1) * apartMs);
  };
  return {
    turn: async (signal) => {
      const start = earliest();
      const ms = start - clock.now();
      if (ms > waitMs) throw new CallRefused("the provider's rate limit is used up", ms);
      starts.push(start);
      if (starts.length > perSecond) starts.shift();
      spreadUntil = Math.max(spreadUntil, start) + apartMs;
      if (ms > 0) await clock.wait(ms, signal);
    },
    pause: (ms) => {
      silentUntil = Math.max(silentUntil, clock.now() + ms);
    },
  };
}
