import { sql } from "kysely";
import type { Database, Log } from "../db/database.ts";
import { ACKNOWLEDGEMENT_EDGES, type Observer } from "./observer.ts";
import type { ProviderCall } from "./provider-calls.ts";

/** Counts by the minute what this process does, and adds it to what all processes did. */
export interface Figures extends Observer {
  /** Writes what was counted. Never rejects: what could not be written is written with the next. */
  flush(): Promise<void>;
  /** Writes what is left, and stops. */
  close(): Promise<void>;
}

/** How the rows are named. Of an acknowledgement only its bucket is counted. */
export const FIGURES = {
  acknowledged: [...ACKNOWLEDGEMENT_EDGES.map((ms) => `acknowledged_within_${ms}`), "acknowledged_later"],
  refused: "refused",
  calls: "provider_calls",
  failures: "provider_failures",
} as const;

export const MINUTE_MS = 60_000;
const EVERY_MS = 5_000;
/** Minutes that wait at most to be written; a database that is down for longer costs the oldest. */
const WAITING = 180;

interface Options {
  database: Pick<Database, "kysely">;
  log: Log;
  now: () => Date;
  everyMs?: number;
}

/** Of one minute, by name and providerId. */
type Counts = Map<string, number>;

/** In memory first, as field-uses.ts: a webhook must wait for no row. */
export function createFigures({ database, log, now, everyMs = EVERY_MS }: Options): Figures {
  const minutes = new Map<number, Counts>();
  let writing: Promise<void> = Promise.resolve();

  const add = (minute: number, key: string, count: number) => {
    const counts = minutes.get(minute) ?? openMinute(minutes, minute);
    counts.set(key, (counts.get(key) ?? 0) + count);
  };
  const note = (key: string) => add(minuteOf(now()), key, 1);
  const writeAll = async () => {
    if (minutes.size === 0) return;
    const taken = rowsOf(minutes);
    minutes.clear();
    try {
      await write(database, taken);
    } catch (error) {
      log.warn({ err: error }, "could not save the figures of the last minutes");
      for (const { at, key, value } of taken) add(at, key, value);
    }
  };
  const flush = () => {
    writing = writing.then(writeAll);
    return writing;
  };
  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();
  return {
    webhookAnswered: (status, ms) => note(status === 200 ? bucketOf(ms) : FIGURES.refused),
    providerCalled: (call) => {
      note(`${FIGURES.calls} ${call.provider_id}`);
      if (isFailure(call)) note(`${FIGURES.failures} ${call.provider_id}`);
    },
    flush,
    close: () => {
      clearInterval(timer);
      return flush();
    },
  };
}

export const minuteOf = (time: Date): number => Math.floor(time.getTime() / MINUTE_MS) * MINUTE_MS;

function openMinute(minutes: Map<number, Counts>, minute: number): Counts {
  const counts: Counts = new Map();
  minutes.set(minute, counts);
  if (minutes.size > WAITING) minutes.delete(Math.min(...minutes.keys()));
  return counts;
}

const LATER = FIGURES.acknowledged.at(-1) as string;

function bucketOf(ms: number): string {
  const index = ACKNOWLEDGEMENT_EDGES.findIndex((edge) => ms <= edge);
  return FIGURES.acknowledged[index] ?? LATER;
}

/** A 429 is a call that has to be made again, whoever is to blame. */
const isFailure = ({ status }: ProviderCall) => status === undefined || status >= 500 || status === 429;

interface Row {
  at: number;
  key: string;
  value: number;
}

/** In one order everywhere, so that two processes that write at once never wait for each other in a circle. */
function rowsOf(minutes: Map<number, Counts>): Row[] {
  const rows = [...minutes].flatMap(([at, counts]) =>
    [...counts].map(([key, value]) => ({ at, key, value })),
  );
  return rows.sort((one, other) => one.at - other.at || (one.key < other.key ? -1 : 1));
}

async function write({ kysely }: Pick<Database, "kysely">, rows: Row[]): Promise<void> {
  const figures = rows.map(({ at, key, value }) => {
    const [name, provider_id = ""] = key.split(" ");
    return { minute: new Date(at).toISOString(), name, provider_id, value };
  });
  await sql`
    insert into figures (minute, name, provider_id, value)
    select minute, name, provider_id, value
    from json_to_recordset(${JSON.stringify(figures)}::text::json)
      as counted (minute timestamptz, name text, provider_id text, value bigint)
    on conflict (minute, name, provider_id) do update set value = figures.value + excluded.value`.execute(
    kysely,
  );
}
