import { setTimeout as sleep } from "node:timers/promises";

interface Waiting<In, Out> {
  item: In;
  resolve: (result: Out) => void;
  reject: (error: unknown) => void;
}

/**
 * Collects calls while others are carried out, and carries them out together: a statement for many rows costs little more than one for a single
 * row. `work` returns a result for each item, in their order. `throttle`: how many items at once. `keyOf`: only items with the same key are carried
 * out together.
 */
export function inBatches<In, Out>(
  work: (items: readonly In[]) => Promise<readonly Out[]>,
  throttle: Throttle,
  keyOf: (item: In) => unknown = () => undefined,
): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = [];
  let isAtWork = false;
  const carryOut = async () => {
    isAtWork = true;
    // What is asked for in the same turn of the event loop comes along.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const most = throttle.most();
      const key = waiting[0] && keyOf(waiting[0].item);
      const batch = waiting.filter(({ item }) => keyOf(item) === key).slice(0, most);
      const taken = new Set(batch);
      waiting = waiting.filter((each) => !taken.has(each));
      const begun = performance.now();
      try {
        const results = await work(batch.map(({ item }) => item));
        for (const [nth, { resolve }] of batch.entries()) resolve(results[nth] as Out);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      const pauseMs = throttle.pauseMs(performance.now() - begun);
      if (pauseMs >= 1) await sleep(pauseMs);
    }
    isAtWork = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isAtWork) void carryOut();
    });
}

/** What is received goes first: the longer webhooks wait until they are stored, the less is processed beside them. */
export interface Throttle {
  /** Webhooks were stored: how long the first of them had waited, and how long the statement took. Milliseconds. */
  stored(times: { waitedMs: number; tookMs: number }): void;
  /** How much may be processed together. */
  most(): number;
  /** How long to pause after processing that took so long. Milliseconds. */
  pauseMs(tookMs: number): number;
}

const MOST = 100;
/** The same while webhooks come in: one that has to wait for a transaction waits for a short one. */
const MOST_BESIDE = 25;
/** First less is done at once, down to a tenth. Below this share there are pauses, too. */
const PAUSES_BELOW = 0.5;
const LEAST_AT_ONCE = 0.1;
/** Processing never ends, whatever comes in. */
const LEAST_SHARE = 0.03;
/** At first, when everything is slower than it will be, and after webhooks that had to wait. */
const FIRST_SHARE = 0.3;
const MORE_EACH_TIME = 0.01;
/** Webhooks that wait no longer than this, beyond what the database takes with nothing else to do, need no more room. Milliseconds. */
const SHORT_MS = 10;
/** Without webhooks for this time, everything is for processing. Milliseconds. */
const QUIET_MS = 100;

export function createThrottle(now: () => number = () => performance.now()): Throttle {
  let share = FIRST_SHARE;
  let quickestMs = Number.POSITIVE_INFINITY;
  let storedAt = Number.NEGATIVE_INFINITY;
  const isQuiet = () => now() - storedAt > QUIET_MS;
  return {
    stored: ({ waitedMs, tookMs }) => {
      // A disk may become slower: the quickest is forgotten little by little.
      quickestMs = Math.min(tookMs, quickestMs * 1.001);
      const before = isQuiet() ? Math.max(share, FIRST_SHARE) : share;
      // The one before may have been under way.
      const isLong = waitedMs > SHORT_MS + 2 * quickestMs;
      share = isLong ? Math.max(LEAST_SHARE, before * 0.8) : Math.min(1, before + MORE_EACH_TIME);
      storedAt = now();
    },
    most: () => (isQuiet() ? MOST : Math.ceil(MOST_BESIDE * Math.max(share, LEAST_AT_ONCE))),
    pauseMs: (tookMs) => (isQuiet() ? 0 : Math.min(tookMs * Math.max(0, PAUSES_BELOW / share - 1), QUIET_MS)),
  };
}
