import { sql } from "kysely";
import { MINUTE_MS } from "../../contract/durations.ts";
import type { Database, Log } from "../db/database.ts";
import type { Run } from "../work/worker.ts";
import { type Collector, createCollector } from "./collector.ts";
import { ACKNOWLEDGEMENT_EDGES, type Observer } from "./observer.ts";
import type { ProviderCall } from "./provider-calls.ts";

/** Counts what this process does in each minute, and adds the counts to those of all processes. */
export interface Figures extends Observer, Pick<Collector, "flush" | "close"> {
  /** Counts the runs that end. A run that throws, or excludes its provider, does not count. */
  counted(run: Run): Run;
}

/** The names of the rows. An acknowledgement counts in its bucket only. */
export const FIGURES = {
  acknowledged: [...ACKNOWLEDGEMENT_EDGES.map((ms) => `acknowledged_within_${ms}`), "acknowledged_later"],
  refused: "refused",
  webhooks: "webhooks",
  calls: "provider_calls",
  /** Milliseconds. */
  callMs: "provider_ms",
  failures: "provider_failures",
  runs: "runs",
} as const;

interface Options {
  database: Pick<Database, "kysely">;
  log: Log;
  now: () => Date;
  everyMs?: number;
}

export function createFigures({ database, now, ...options }: Options): Figures {
  const { add, ...rest } = createCollector({ ...options, write: (counts) => write(database, counts) });
  const note = (name: string, providerId = "", count = 1) =>
    add(`${new Date(minuteOf(now())).toISOString()} ${name} ${providerId}`, count);
  return {
    ...rest,
    webhookAnswered: (status, ms) => note(status === 200 ? bucketOf(ms) : FIGURES.refused),
    webhookStored: ({ provider_id }) => note(FIGURES.webhooks, provider_id),
    providerCalled: (call) => {
      note(FIGURES.calls, call.provider_id);
      note(FIGURES.callMs, call.provider_id, Math.round(call.seconds * 1_000));
      if (isFailure(call)) note(FIGURES.failures, call.provider_id);
    },
    counted: (run) => async (claim, signal, exclude) => {
      let isExcluded = false;
      await run(claim, signal, (ms) => {
        isExcluded = true;
        exclude(ms);
      });
      if (!isExcluded) note(FIGURES.runs, claim.providerId);
    },
  };
}

export const minuteOf = (time: Date): number => Math.floor(time.getTime() / MINUTE_MS) * MINUTE_MS;

const LATER = FIGURES.acknowledged.at(-1) as string;

function bucketOf(ms: number): string {
  const index = ACKNOWLEDGEMENT_EDGES.findIndex((edge) => ms <= edge);
  return FIGURES.acknowledged[index] ?? LATER;
}

/** A 429 counts too: the call has to be repeated. */
const isFailure = ({ status }: ProviderCall) => status === undefined || status >= 500 || status === 429;

async function write(
  { kysely }: Pick<Database, "kysely">,
  counts: readonly [key: string, count: number][],
): Promise<void> {
  const figures = counts.map(([key, value]) => {
    const [minute, name, provider_id] = key.split(" ");
    return { minute, name, provider_id, value };
  });
  await sql`
    insert into figures (minute, name, provider_id, value)
    select minute, name, provider_id, value
    from json_to_recordset(${JSON.stringify(figures)}::text::json)
      as counted (minute timestamptz, name text, provider_id text, value bigint)
    on conflict (provider_id, minute, name) do update set value = figures.value + excluded.value`.execute(
    kysely,
  );
}
