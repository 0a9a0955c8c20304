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

/** Several processes share the limits of a provider. */
export interface Sharing {
  /** Among how many the limits are divided. */
  processes(): number;
  /** From when this process may call, by the clock of the rate: its budget is empty then. It rises when the others may have forgotten this process. */
  since(): number;
}

const ALONE: Sharing = { processes: () => 1, since: () => Number.NEGATIVE_INFINITY };

/**
 * Limits the calls to one provider to a number in any second and in any minute (decisions, "rate limits"). Few of a minute's calls may start at once. The
 * others are spread evenly, so a long queue moves steadily.
 */
export function createRate(limits: RateLimits, clock: RateClock = CLOCK, sharing: Sharing = ALONE): Rate {
  if (limits.perMinute === 0) return { turn: async () => undefined, pause: () => undefined };
  const starts = createStarts(limits, sharing, clock.now);
  const start = async (signal: AbortSignal, isInteractive: boolean) => {
    signal.throwIfAborted();
    for (let isReserved = false; !isReserved; ) {
      const { ms, isKept } = starts.next(isInteractive);
      if (ms > 0) await clock.wait(ms, signal);
      isReserved = ms === 0 || isKept();
    }
  };
  let before: Promise<unknown> = Promise.resolve();
  return {
    turn: (signal, isInteractive = true) => {
      if (isInteractive) return start(signal, true);
      const turn = before.then(() => start(signal, false));
      before = turn.catch(() => undefined);
      return turn;
    },
    pause: starts.silence,
  };
}

/** The number of calls that may start at once in a quiet minute. */
const burstOf = (perMinute: number): number => Math.max(1, Math.floor(perMinute / 25));

/** The share that other calls leave to interactive ones. */
const shareOf = (count: number, isInteractive: boolean): number =>
  isInteractive ? count : Math.max(1, Math.floor((count * 4) / 5));

const refused = (retryAfterMs: number) =>
  new CallRefused("rate_limited", "the provider's rate limit is used up", retryAfterMs);

/** What one of several processes may start. */
interface Part {
  processes: number;
  /** At once, in a quiet minute; further ones `apartMs` apart. */
  burst: number;
  apartMs: number;
  /** At most `most` within `withinMs`. */
  most: number;
  withinMs: number;
}

/**
 * The limits divided by the number of processes. A part of less than one call a minute is one call in that many minutes. All processes together keep to
 * the second's limit on average only: each may start its part of the burst at once, so that a few shifts at one process do not wait.
 */
function partOf({ perSecond, perMinute }: RateLimits, processes: number): Part {
  const share = perMinute / processes;
  const whole = Math.floor(share);
  const burst = burstOf(whole);
  const most = Math.min(perSecond, burst);
  const withinMs = (most * processes * 1_000) / perSecond;
  const apartMs = whole === 0 ? 60_000 / share : 60_000 / Math.max(1, whole - burst);
  return { processes, burst, apartMs, most, withinMs };
}

/** A process that the others may have forgotten is soon counted again. Milliseconds. */
const NOT_COUNTED_MS = 5_000;

/** The starts of this process. */
function createStarts(limits: RateLimits, { processes, since }: Sharing, now: () => number) {
  let part = partOf(limits, processes());
  /** When the last calls start, as many as may start within `withinMs`. */
  let starts: number[] = [];
  let from = since();
  /** When all calls so far would have started if spread evenly. */
  let spreadUntil = from + part.burst * part.apartMs;
  let silentUntil = 0;
  /** Another number of processes: no call that waits keeps its start, and what may start at once does not grow. */
  const divide = () => {
    const waiting = starts.filter((start) => start > now());
    const left = part.burst - (spreadUntil - now()) / part.apartMs + waiting.length;
    part = partOf(limits, processes());
    spreadUntil = now() + (part.burst - Math.min(part.burst, left)) * part.apartMs;
    starts = starts.filter((start) => start <= now());
  };
  return {
    next: (isInteractive: boolean) => {
      if (since() === Number.POSITIVE_INFINITY) throw refused(NOT_COUNTED_MS);
      if (since() !== from) {
        from = since();
        spreadUntil = from + part.burst * part.apartMs;
      }
      if (processes() !== part.processes) divide();
      const { burst, apartMs, most, withinMs } = part;
      const afterOthers = (starts.at(-shareOf(most, isInteractive)) ?? Number.NEGATIVE_INFINITY) + withinMs;
      const evenly = spreadUntil - (shareOf(burst, isInteractive) - 1) * apartMs;
      const start = Math.max(now(), from, silentUntil, afterOthers, evenly);
      const ms = start - now();
      if (ms > limits.waitMs) throw refused(ms);
      insert(starts, start);
      if (starts.length > most) starts.shift();
      spreadUntil = Math.max(spreadUntil, start) + apartMs;
      const reservedIn = part;
      return { ms, isKept: () => part === reservedIn && processes() === part.processes && since() === from };
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

export interface Semaphore {
  /** Runs the call when it has a place. @throws CallRefused when too many wait for one; the signal's reason when it is aborted before. */
  hold<T>(call: () => Promise<T>, signal: AbortSignal, isInteractive: boolean): Promise<T>;
}

interface SemaphoreOptions {
  /** How many calls may be under way. */
  atOnce: () => number;
  /** How many may wait for a place. */
  waiting: number;
}

const NO_PLACE_MS = 1_000;

/** A place that becomes free this soon need not be kept free. Milliseconds. */
const PROMPT_MS = 100;

/** Limits the calls under way. Interactive calls go first; unless calls are short, one of several places is reserved for them. */
export function createSemaphore({ atOnce, waiting: mostWaiting }: SemaphoreOptions): Semaphore {
  const waiting: { isInteractive: boolean; begin: () => void }[] = [];
  let held = 0;
  /** A moving average of how long calls last. Unknown at first. */
  let lastsMs = Number.POSITIVE_INFINITY;
  const isFree = (isInteractive: boolean) => {
    const kept = isInteractive || lastsMs < PROMPT_MS ? 0 : 1;
    return held < Math.max(1, atOnce() - kept);
  };
  const fill = () => {
    for (;;) {
      const urgent = waiting.findIndex(({ isInteractive }) => isInteractive);
      const index = Math.max(urgent, 0);
      const next = waiting[index];
      if (!next || !isFree(next.isInteractive)) return;
      waiting.splice(index, 1);
      next.begin();
    }
  };
  const wait = (signal: AbortSignal, isInteractive: boolean) =>
    new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        waiting.splice(waiting.indexOf(entry), 1);
        reject(signal.reason);
      };
      const entry = {
        isInteractive,
        begin: () => {
          signal.removeEventListener("abort", giveUp);
          held += 1;
          resolve();
        },
      };
      waiting.push(entry);
      signal.addEventListener("abort", giveUp, { once: true });
      fill();
    });
  return {
    hold: async (call, signal, isInteractive) => {
      signal.throwIfAborted();
      if (waiting.length >= mostWaiting)
        throw new CallRefused("at_capacity", "too many calls to the provider are under way", NO_PLACE_MS);
      await wait(signal, isInteractive);
      const begun = performance.now();
      try {
        return await call();
      } finally {
        held -= 1;
        const ms = performance.now() - begun;
        lastsMs = Number.isFinite(lastsMs) ? (lastsMs * 3 + ms) / 4 : ms;
        fill();
      }
    },
  };
}
