import { type Kysely, sql } from "kysely";
import type { Backlog } from "../../../generated/operations/types.ts";
import type { Database } from "../db/database.ts";
import type { EventStatus, Schema } from "../db/schema.ts";
import { shareReading } from "./share.ts";

/** What the platform has to do with one provider, as it was at `readAt`. */
export interface ProviderBacklog {
  kind: string;
  provider_id: string;
  backlog: Backlog;
  readAt: Date;
}

/** The state of the work, as read from the database. */
export interface Readings {
  events: Partial<Record<EventStatus, number>>;
  /** Since the oldest event that waits came, of integrations that are active; 0 when there is none. */
  waitingSeconds: number;
  backlogs: readonly ProviderBacklog[];
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

/** Milliseconds. */
const KEPT_FOR_MS = 10_000;

/** Reads on demand, and at most once in ten seconds. `now`: milliseconds. */
export const createReadings = (
  database: Pick<Database, "kysely">,
  readBacklogs: () => Promise<readonly ProviderBacklog[]>,
  now?: () => number,
): (() => Promise<Readings>) => shareReading(() => readAll(database, readBacklogs), KEPT_FOR_MS, now);

async function readAll(
  { kysely }: Pick<Database, "kysely">,
  readBacklogs: () => Promise<readonly ProviderBacklog[]>,
): Promise<Readings> {
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
    backlogs: await readBacklogs(),
  };
}

async function readWaiting(kysely: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(received_at)), 0)::float8 as seconds
    from events join integrations using (provider_id)
    where events.status = 'queued' and integrations.state = 'active'`.execute(kysely);
  return rows[0]?.seconds ?? 0;
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
