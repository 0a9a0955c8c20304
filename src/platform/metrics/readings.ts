import { type Kysely, sql } from "kysely";
import type { Database } from "../db/database.ts";
import type { EventStatus, Schema } from "../db/schema.ts";
import { type QueueLoad, readQueueLoad } from "../queue/load.ts";

/** What the database knows of how things are going. */
export interface Readings {
  events: Partial<Record<EventStatus, number>>;
  /** Since the oldest event came of which no task was made, though its integration is active; 0 when there is none. */
  undispatchedSeconds: number;
  queues: QueueLoad[];
  /** `shown` ones leave the house by no channel, `withheld` ones did not stand any more. */
  notifications: { shown: number; waiting: number; delivered: number; withheld: number; failed: number };
  issues: { code: string; count: number }[];
}

export const EVENT_STATUSES: readonly EventStatus[] = [
  "queued",
  "processed",
  "ignored",
  "skipped_echo",
  "failed",
  "dead",
];

/** Counting takes longer the more there is to count: whoever asks within this time gets the same answer. Milliseconds. */
const KEPT_FOR_MS = 10_000;

/** Reads when asked, and seldom. `now`: milliseconds. */
export function createReadings(
  database: Pick<Database, "kysely" | "raw">,
  now: () => number = () => performance.now(),
): () => Promise<Readings> {
  let kept: { readings: Promise<Readings>; until: number } | undefined;
  return () => {
    if (kept && kept.until > now()) return kept.readings;
    const readings = readAll(database);
    const mine = { readings, until: now() + KEPT_FOR_MS };
    kept = mine;
    // A failure is not kept: the database may be well again.
    readings.catch(() => {
      if (kept === mine) kept = undefined;
    });
    return readings;
  };
}

async function readAll(database: Pick<Database, "kysely" | "raw">): Promise<Readings> {
  const { kysely } = database;
  const events = await kysely
    .selectFrom("events")
    .select(({ fn }) => ["status", fn.countAll<number>().as("count")])
    .groupBy("status")
    .execute();
  const issues = await kysely
    .selectFrom("issues")
    .select(({ fn }) => ["code", fn.countAll<number>().as("count")])
    .where("resolved_at", "is", null)
    .groupBy("code")
    .execute();
  return {
    events: Object.fromEntries(events.map(({ status, count }) => [status, count])),
    issues,
    undispatchedSeconds: await readUndispatched(kysely),
    notifications: await readNotifications(kysely),
    queues: await readQueueLoad(database),
  };
}

async function readUndispatched(kysely: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(oldest.received_at)), 0)::float8 as seconds
    from integrations cross join lateral (
      select received_at from events
      where provider_id = integrations.provider_id and dispatched_at is null and status = 'queued'
      order by event_id limit 1) as oldest
    where integrations.state = 'active'`.execute(kysely);
  return rows[0]?.seconds ?? 0;
}

async function readNotifications(kysely: Kysely<Schema>): Promise<Readings["notifications"]> {
  const { rows } = await sql<Readings["notifications"]>`
    select count(*) filter (where channel is null) as shown,
      count(*) filter (where delivered_at is not null) as delivered,
      count(*) filter (where withheld_at is not null) as withheld,
      count(*) filter (where channel is not null and delivered_at is null and delivery_error is null) as waiting,
      count(*) filter (where channel is not null and delivered_at is null and delivery_error is not null
        and withheld_at is null) as failed
    from notifications`.execute(kysely);
  return rows[0] ?? { shown: 0, delivered: 0, withheld: 0, waiting: 0, failed: 0 };
}
