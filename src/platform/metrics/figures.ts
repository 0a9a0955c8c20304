import { sql } from "kysely";
import { MINUTE_MS } from "../../contract/timestamp.ts";
import type { Database, Log } from "../db/database.ts";
import { jsonRows } from "../db/fragments.ts";
import type { Observer } from "./observer.ts";

/** Counts in memory and writes the counts every few seconds: with a write for each event, all events would wait for the lock of one row. */
export interface Collector {
  /** Returns at once. */
  add(key: string, count?: number): void;
  /** Writes the counts. Never rejects: counts that could not be written are written with the next ones. */
  flush(): Promise<void>;
  /** Writes the last counts, and stops. */
  close(): Promise<void>;
}

interface CollectorOptions {
  log: Log;
  /** Gets the counts in the order of their keys: two processes that write at once cannot deadlock. */
  write: (counts: readonly [key: string, count: number][]) => Promise<void>;
  everyMs?: number;
  /** The most keys that wait to be written; beyond it the oldest are dropped. */
  most?: number;
}

export function createCollector({
  log,
  write,
  everyMs = 5_000,
  most = 100_000,
}: CollectorOptions): Collector {
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

/** Counts what this process does in each minute, and adds the counts to those of all processes, but for organisations that were deleted meanwhile. */
export interface Figures
  extends Pick<Observer, "webhookStored" | "providerCalled">,
    Pick<Collector, "flush" | "close"> {}

/** The names of the rows. */
export const FIGURES = {
  webhooks: "webhooks",
  calls: "provider_calls",
  /** Milliseconds. */
  callMs: "provider_ms",
} as const;

interface Options {
  database: Pick<Database, "kysely">;
  log: Log;
  now: () => Date;
  everyMs?: number;
}

export function createFigures({ database, now, ...options }: Options): Figures {
  const { add, ...rest } = createCollector({ ...options, write: (counts) => write(database, counts) });
  const note = (name: string, providerId: string, count = 1) =>
    add(`${new Date(minuteOf(now())).toISOString()} ${name} ${providerId}`, count);
  return {
    ...rest,
    webhookStored: ({ providerId }) => note(FIGURES.webhooks, providerId),
    providerCalled: ({ providerId, seconds }) => {
      note(FIGURES.calls, providerId);
      note(FIGURES.callMs, providerId, Math.round(seconds * 1_000));
    },
  };
}

export const minuteOf = (time: Date): number => Math.floor(time.getTime() / MINUTE_MS) * MINUTE_MS;

async function write(
  { kysely }: Pick<Database, "kysely">,
  counts: readonly [key: string, count: number][],
): Promise<void> {
  const figures = counts.map(([key, value]) => {
    const [minute, name, providerId] = key.split(" ");
    return { minute, name, providerId, value };
  });
  await sql`
    insert into figures (minute, name, provider_id, value)
    select minute, counted.name, provider_id, value
    from ${jsonRows(figures)}
      as counted (minute timestamptz, name text, "providerId" uuid, value bigint)
      join integrations on provider_id = "providerId" order by provider_id, minute, counted.name
    on conflict (provider_id, minute, name) do update set value = figures.value + excluded.value`.execute(
    kysely,
  );
}
