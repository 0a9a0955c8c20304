import { performance } from "node:perf_hooks";
import type { Log } from "./db/database.ts";

/** Stops a part; the milliseconds that are left for it. */
type Stop = (leftMs: number) => unknown;

/** The parts that were started, by the stage at which they stop. */
export interface Shutdown {
  /** What creates work on its own: timers, the dispatcher, the stream. */
  stopFirst(stop: Stop): void;
  stopServer(server: { close(graceMs: number): Promise<void> }): void;
  stopWorker(worker: { stop(options: { graceMs: number }): Promise<void> }): void;
  /** What the others use; closed last, in the opposite order. */
  closeLast(close: Stop): void;
  /**
   * Stops everything, even if a part fails to stop; once, however often it is called. Work that is not finished within `graceMs`
   * is requeued for the next start. Never rejects.
   */
  close(graceMs?: number): Promise<void>;
}

/** For all work under way, of the 10 s that a stop may take; an abort and the database's end come after it. */
const GRACE_MS = 8_000;
// A request waits up to 5 s for its provider; the rest of the grace is for the tasks in hand.
const RESPONSES_MS = 6_000;

export function createShutdown(log: Log): Shutdown {
  const feeders: Stop[] = [];
  const servers: Stop[] = [];
  const workers: Stop[] = [];
  const holdings: Stop[] = [];
  let closing: Promise<void> | undefined;
  return {
    stopFirst: (stop) => feeders.push(stop),
    stopServer: (server) => servers.push((leftMs) => server.close(Math.min(RESPONSES_MS, leftMs))),
    stopWorker: (worker) => workers.push((graceMs) => worker.stop({ graceMs })),
    closeLast: (close) => holdings.unshift(close),
    close: (graceMs = GRACE_MS) => {
      const stopServers: Stop = (leftMs) => Promise.all(servers.map((stop) => stop(leftMs)));
      closing ??= stopAll([...feeders, stopServers, ...workers, ...holdings], graceMs, log);
      return closing;
    },
  };
}

async function stopAll(stops: readonly Stop[], graceMs: number, log: Log): Promise<void> {
  const deadline = performance.now() + graceMs;
  for (const stop of stops) {
    try {
      await stop(Math.max(0, deadline - performance.now()));
    } catch (error) {
      log.warn({ err: error }, "a part did not stop as it should");
    }
  }
}
