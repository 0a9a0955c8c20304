import type { Log } from "../db/database.ts";

/** Counts in memory and writes the counts every few seconds: with a write for each event, all events would wait for the lock of one row. */
export interface Collector {
  /** Returns at once. */
  add(key: string, count?: number): void;
  /** Writes the counts. Never rejects: counts that could not be written are written with the next ones. */
  flush(): Promise<void>;
  /** Writes the last counts, and stops. */
  close(): Promise<void>;
}

interface Options {
  log: Log;
  /** Gets the counts in the order of their keys: two processes that write at once cannot deadlock. */
  write: (counts: readonly [key: string, count: number][]) => Promise<void>;
  everyMs?: number;
  /** The most keys that wait to be written; beyond it the oldest are dropped. */
  most?: number;
}

export function createCollector({ log, write, everyMs = 5_000, most = 100_000 }: Options): Collector {
  let counts = new Map<string, number>();
  let writing: Promise<void> = Promise.resolve();
  const add = (key: string, count = 1) => {
    counts.set(key, (counts.get(key) ?? 0) + count);
    if (counts.size > most) counts.delete(counts.keys().next().value ?? key);
  };
  const writeAll = async () => {
    if (counts.size === 0) return;
    const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
    counts = new Map();
    try {
      await write(sorted);
    } catch (error) {
      log.warn({ err: error }, "could not write the counts: they are written with the next ones");
      for (const [key, count] of sorted) add(key, count);
    }
  };
  const flush = () => {
    writing = writing.then(writeAll);
    return writing;
  };
  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();
  return {
    add,
    flush,
    close: () => {
      clearInterval(timer);
      return flush();
    },
  };
}
