import { setTimeout as sleep } from "node:timers/promises";
import type { Throttle } from "./throttle.ts";

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
