import type { Log } from "../db/database.ts";

/** Counts in memory, and writes every few seconds what was counted: one row for each event would be a lock that all events wait for. */
export interface Collector {
  /** Returns at once. */
  add(key: string, count?: number): void;
  /** Writes what was counted. Never rejects: what could not be written is written with the next. */
  flush(): Promise<void>;
  /** Writes what is left, and stops. */
  close(): Promise<void>;
}

interface Options {
  log: Log;
  /** In the order of the keys, the same everywhere: two processes that write at once never wait for each other in a circle. */
  write: (counts: readonly [key: string, count: number][]) => Promise<void>;
  everyMs?: number;
  /** Keys that wait at most to be written; a database that is down for longer costs the first ones. */
  most?: number;
}

export function createCollector({ log, write, everyMs = 5_000, most = 100_000 }: Options): Collector {
  let counts = new Map<string, number>();
  let writing: Promise<void> = Promise.resolve();
  const add = (key: string, count = 1) => {
    counts.set(key, (counts.get(key) ?? 0) + count);
    for (const oldest of counts.size > most ? counts.keys() : []) {
      counts.delete(oldest);
      if (counts.size <= most) break;
    }
  };
  const writeAll = async () => {
    if (counts.size === 0) return;
    const taken = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
    counts = new Map();
    try {
      await write(taken);
    } catch (error) {
      log.warn({ err: error }, "could not write what was counted: it is written with the next");
      for (const [key, count] of taken) add(key, count);
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
