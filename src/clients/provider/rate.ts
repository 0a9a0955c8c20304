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
  /** Milliseconds, from anywhere; never set back. */
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const CLOCK: RateClock = {
  now: () => performance.now(),
  wait: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** What one process may do when so many together may do `limit`; 0 is no limit. */
export const shareOf = (limit: number, processes: number): number =>
  limit === 0 ? 0 : Math.max(1, Math.floor(limit / processes));

/**
 * Holds the calls to one provider to so many in any second and in any minute (DECISIONS, "rate limits"). Of a minute's calls a
 * fifth may come at once; the rest is spread evenly, so that a long queue moves steadily instead of standing still for most of
 * each minute. `processes`: how many hold the limits together, each to its share.
 */
export function createRate(
  { perSecond, perMinute, waitMs }: RateLimits,
  clock: RateClock = CLOCK,
  processes: () => number = () => 1,
): Rate {
  if (perMinute === 0) return { turn: async () => undefined, pause: () => undefined };
  /** When the last calls start, a second's worth of them. */
  const starts: number[] = [];
  /** When all calls so far would have started, had they been spread evenly. */
  let spreadUntil = 0;
  let silentUntil = 0;

  const share = () => {
    const ofMinute = shareOf(perMinute, processes());
    const burst = Math.max(1, Math.floor(ofMinute / 5));
    return {
      ofSecond: shareOf(perSecond, processes()),
      burst,
      apartMs: 60_000 / Math.max(1, ofMinute - burst),
    };
  };
  const earliest = ({ ofSecond, burst, apartMs }: ReturnType<typeof share>) => {
    const aSecondAfter = (starts.at(-ofSecond) ?? Number.NEGATIVE_INFINITY) + 1_000;
    return Math.max(clock.now(), silentUntil, aSecondAfter, spreadUntil - (burst - 1) * apartMs);
  };
  return {
    turn: async (signal) => {
      const mine = share();
      const start = earliest(mine);
      const ms = start - clock.now();
      if (ms > waitMs) throw new CallRefused("rate_limited", "the provider's rate limit is used up", ms);
      starts.push(start);
      if (starts.length > perSecond) starts.shift();
      spreadUntil = Math.max(spreadUntil, start) + mine.apartMs;
      if (ms > 0) await clock.wait(ms, signal);
    },
    pause: (ms) => {
      silentUntil = Math.max(silentUntil, clock.now() + ms);
    },
  };
}
