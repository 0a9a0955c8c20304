import { type Kysely, sql } from "kysely";
import type { Backlog, HealthCode } from "../../../generated/operations/types.ts";
import type { Database } from "../db/database.ts";
import type { EventStatus, Schema } from "../db/schema.ts";
import { shareReading } from "./share.ts";

/** What the platform has to do with one provider, as it was at `readAt`. */
export interface ProviderBacklog {
  kind: string;
  provider_id: string;
  health: HealthCode;
  /** Of its oldest booking that is pending; null: there is none. */
  pendingSince: Date | null;
  backlog: Backlog;
  readAt: Date;
}

/** What waits, and what went wrong, as read from the database: what has ended is counted when it ends, because reading it would cost more each day. */
export interface Readings {
  events: Partial<Record<WaitingStatus, number>>;
  /** Since the oldest event that waits came, of integrations that are active; 0 when there is none. */
  waitingSeconds: number;
  backlogs: readonly ProviderBacklog[];
  /** `failed`: an operator is needed to deliver them. */
  notifications: { waiting: number; failed: number };
  issues: { code: string; count: number }[];
}

/** Of the events that are not done. */
export const WAITING_STATUSES = ["queued", "failed", "dead"] as const satisfies readonly EventStatus[];
type WaitingStatus = (typeof WAITING_STATUSES)[number];

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
    .where("status", "in", [...WAITING_STATUSES])
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
    select count(*) filter (where delivery_error is null) as waiting,
      count(*) filter (where delivery_error is not null) as failed
    from notifications where channel is not null and delivered_at is null and withdrawn_at is null`.execute(
    kysely,
  );
  return rows[0] ?? { waiting: 0, failed: 0 };
}
