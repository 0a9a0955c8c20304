import { type Kysely, sql } from "kysely";
import type { Database } from "../db/database.ts";
import type { EventStatus, Schema, WorkKind } from "../db/schema.ts";

/** How much of one kind of work there is, in all processes together. */
export interface WorkLoad {
  kind: WorkKind;
  /** Due, or waiting for another attempt; what is only read each hour does not count. */
  waiting: number;
  active: number;
  /** Since the oldest that waits was asked for; 0 when none does. */
  oldestSeconds: number;
}

/** The state of the work, as read from the database. */
export interface Readings {
  events: Partial<Record<EventStatus, number>>;
  /** Since the oldest event that waits came, of integrations that are active; 0 when there is none. */
  waitingSeconds: number;
  work: WorkLoad[];
  /** `shown` ones are not delivered by a channel; `withdrawn` ones are offers that did not hold any more. */
  notifications: { shown: number; waiting: number; delivered: number; withdrawn: number; failed: number };
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

/** Counting takes longer the more rows there are: all callers within this time share one reading. Milliseconds. */
const KEPT_FOR_MS = 10_000;

/** Reads on demand, and at most once in ten seconds. `now`: milliseconds. */
export function createReadings(
  database: Pick<Database, "kysely">,
  now: () => number = () => performance.now(),
): () => Promise<Readings> {
  let kept: { readings: Promise<Readings>; until: number } | undefined;
  return () => {
    if (kept && kept.until > now()) return kept.readings;
    const readings = readAll(database);
    const latest = { readings, until: now() + KEPT_FOR_MS };
    kept = latest;
    // A failure is not kept: the database may have recovered.
    readings.catch(() => {
      if (kept === latest) kept = undefined;
    });
    return readings;
  };
}

async function readAll(database: Pick<Database, "kysely">): Promise<Readings> {
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
    waitingSeconds: await readWaiting(kysely),
    notifications: await readNotifications(kysely),
    work: await readWork(kysely),
  };
}

async function readWaiting(kysely: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(received_at)), 0)::float8 as seconds
    from events join integrations using (provider_id)
    where events.status = 'queued' and integrations.state = 'active'`.execute(kysely);
  return rows[0]?.seconds ?? 0;
}

async function readWork(kysely: Kysely<Schema>): Promise<WorkLoad[]> {
  const { rows } = await sql<WorkLoad>`
    select kind, count(*) filter (where claim is null) as waiting, count(*) filter (where claim is not null) as active,
      coalesce(extract(epoch from now() - min(created_at) filter (where claim is null)), 0)::float8 as "oldestSeconds"
    from work where priority < 2 or due_at <= now() or claim is not null group by kind`.execute(kysely);
  return rows;
}

async function readNotifications(kysely: Kysely<Schema>): Promise<Readings["notifications"]> {
  const { rows } = await sql<Readings["notifications"]>`
    select count(*) filter (where channel is null) as shown,
      count(*) filter (where delivered_at is not null) as delivered,
      count(*) filter (where channel is not null and delivered_at is null and withdrawn_at is not null) as withdrawn,
      count(*) filter (where channel is not null and delivered_at is null and withdrawn_at is null
        and delivery_error is null) as waiting,
      count(*) filter (where channel is not null and delivered_at is null and withdrawn_at is null
        and delivery_error is not null) as failed
    from notifications`.execute(kysely);
  return rows[0] ?? { shown: 0, delivered: 0, withdrawn: 0, waiting: 0, failed: 0 };
}
