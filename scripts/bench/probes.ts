import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Organisation } from "./organisations.ts";
import type { FlowParts, Sender } from "./send.ts";
import { toJob } from "./send.ts";

/** Measures repeatedly in the background, at a steady rate. Delays by earlier measurements count. */
export interface Probe {
  /** Returns the durations. Milliseconds. */
  stop(): Promise<number[]>;
}

function probe(perSecond: number, measure: (index: number) => Promise<void>): Probe {
  const times: Promise<number>[] = [];
  const begun = performance.now();
  let isOver = false;
  const timed = async (index: number, moment: number) => {
    await measure(index);
    return performance.now() - moment;
  };
  const running = (async () => {
    for (let index = 0; !isOver; index += 1) {
      const moment = begun + (index * 1_000) / perSecond;
      const early = moment - performance.now();
      if (early > 1) await sleep(early);
      times.push(timed(index, moment));
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await running;
      return Promise.all(times);
    },
  };
}

/** Measures acknowledgements of webhooks, of the organisations in turn. */
export const acknowledgements = (
  { sender, url }: { sender: Sender; url: string },
  organisations: readonly Organisation[],
  perSecond: number,
): Probe =>
  probe(perSecond, (index) => {
    const organisation = organisations[index % organisations.length];
    if (!organisation) throw new RangeError("no organisation sends webhooks");
    return sender.send(url, organisation, randomUUID());
  });

/** Measures from the webhook to the job. */
export const jobs = (parts: FlowParts, perSecond: number): Probe =>
  probe(perSecond, async (index) => void (await toJob(parts, index)));
