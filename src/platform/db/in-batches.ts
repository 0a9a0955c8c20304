import { setTimeout as sleep } from "node:timers/promises";
import type { Throttle } from "./throttle.ts";

interface Waiting<In, Out> {
  item: In;
  resolve: (result: Out) => void;
  reject: (error: unknown) => void;
}

/**
 * Collects calls while others are carried out, and carries them out together: a statement for many rows costs little more than one for a single
 * row. `work` returns a result for each item, in their order. `throttle`: how many items at once.
 */
export function inBatches<In, Out>(
  work: (items: readonly In[]) => Promise<readonly Out[]>,
  throttle: Throttle,
): (item: In) => Promise<Out> {
  const waiting: Waiting<In, Out>[] = [];
  let isAtWork = false;
  const carryOut = async () => {
    isAtWork = true;
    // What is asked for in the same turn of the event loop comes along.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const batch = waiting.splice(0, throttle.most());
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
