import { performance } from "node:perf_hooks";
import type { Log } from "./db/database.ts";

type Stop = () => Promise<unknown> | unknown;

/** What was started, in the order in which it has to stop: feeders, server, queue, holdings. */
export interface Running {
  /** What finds work by itself: timers, the dispatcher, the stream. */
  feeds(stop: Stop): void;
  serves(server: { close(graceMs: number): Promise<void> }): void;
  works(queue: { stop(options: { graceMs: number }): Promise<void> }): void;
  /** What the others hold on to; closed last, in the opposite order. */
  holds(close: Stop): void;
  /**
   * Stops everything, although a part fails to; once, however often it is asked. What is not finished within `graceMs` is put
   * back, for the next start. Never rejects.
   */
  close(graceMs?: number): Promise<void>;
}

/** For everything under way, of the 10 s that a stop may take; an abort and the database's end come after it. */
const GRACE_MS = 8_000;
// A request waits up to 5 s for its provider; and some of the grace is left for the tasks in hand.
const ANSWERS_MS = 6_000;

export function createRunning(log: Log): Running {
  const parts: Record<"feeders" | "servers" | "queues" | "holdings", ((left: () => number) => unknown)[]> = {
    feeders: [],
    servers: [],
    queues: [],
    holdings: [],
  };
  let closing: Promise<void> | undefined;
  return {
    feeds: (stop) => parts.feeders.push(stop),
    serves: (server) => parts.servers.push((left) => server.close(Math.min(ANSWERS_MS, left()))),
    works: (queue) => parts.queues.push((left) => queue.stop({ graceMs: left() })),
    holds: (close) => parts.holdings.unshift(close),
    close: (graceMs = GRACE_MS) => {
      const { feeders, servers, queues, holdings } = parts;
      closing ??= stopAll([...feeders, ...servers, ...queues, ...holdings], graceMs, log);
      return closing;
    },
  };
}

async function stopAll(stops: ((left: () => number) => unknown)[], graceMs: number, log: Log): Promise<void> {
  const deadline = performance.now() + graceMs;
  const left = () => Math.max(0, deadline - performance.now());
  for (const stop of stops) {
    try {
      await stop(left);
    } catch (error) {
      log.warn({ err: error }, "a part did not stop as it should");
    }
  }
}
