import { CallRefused } from "./http-error.ts";

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
