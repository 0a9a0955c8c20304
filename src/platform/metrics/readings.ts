import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Backlog, EventStatus, HealthCode } from "../../../generated/operations/types.ts";
import type { Database } from "../db/database.ts";
import { IS_UNDELIVERED } from "../db/fragments.ts";
import type { Schema } from "../db/schema.ts";
import { isInState } from "../issues.ts";

interface Kept<T> {
  reading: Promise<T>;
  until: number;
}

/** A reading that takes long is kept for longer: readings use at most a twentieth of the time. */
const SHARE = 20;

/** Reads on demand, and each key at most once in `keptForMs` milliseconds. `now`: milliseconds. */
export function shareReading<T>(
  read: (key: string) => Promise<T>,
  keptForMs: number,
  now: () => number = () => performance.now(),
): (key?: string) => Promise<T> {
  const kept = new Map<string, Kept<T>>();
  return (key = "") => {
    for (const [each, { until }] of kept) if (until <= now()) kept.delete(each);
    const known = kept.get(key);
    if (known) return known.reading;
    const startedAt = now();
    const latest = { reading: read(key), until: Number.POSITIVE_INFINITY };
    kept.set(key, latest);
    latest.reading.then(
      () => {
        latest.until = Math.max(startedAt + keptForMs, now() + (now() - startedAt) * SHARE);
      },
      // A failure is not kept: the database may have recovered.
      () => kept.delete(key),
    );
    return latest.reading;
  };
}

/** What the platform has to do with one provider, as it was at `readAt`. */
export interface ProviderBacklog {
  kind: string;
  providerId: string;
  health: HealthCode;
  /** Of its oldest pending booking; null: no booking is pending. */
  pendingSince: Date | null;
  /** When its last webhook was stored, to the minute; null: before the first. */
  lastWebhookAt: Date | null;
  backlog: Backlog;
  readAt: Date;
}

export const waitingIn = ({ interactive, events, background }: Backlog["waiting"]): number =>
  interactive + events + background;

/** What waits, and what went wrong, as read from the database: what has ended is counted when it ends, because reading it would cost more each day. */
export interface Readings {
  events: Partial<Record<WaitingStatus, number>>;
  /** How long the oldest event of an active integration has waited; 0 when no event waits. */
  waitingSeconds: number;
  backlogs: readonly ProviderBacklog[];
  /** `failed`: an operator is needed to deliver them. */
  notifications: { waiting: number; failed: number };
  issues: { code: string; count: number }[];
}

/** Of the events that are not done. */
export const WAITING_STATUSES = ["queued", "failed", "dead"] as const satisfies readonly EventStatus[];
type WaitingStatus = (typeof WAITING_STATUSES)[number];

/** Of the events of a status, and of the undelivered notifications: a scrape of a larger backlog costs no more. */
const MOST_COUNTED = 10_000;

/** Milliseconds. */
const KEPT_FOR_MS = 10_000;

/** Reads on demand, and at most once in ten seconds. `now`: milliseconds. */
export const createReadings = (
  database: Pick<Database, "kysely">,
  readBacklogs: () => Promise<readonly ProviderBacklog[]>,
  now: () => number = Date.now,
): (() => Promise<Readings>) => shareReading(() => readAll(database, readBacklogs, now), KEPT_FOR_MS, now);

async function readAll(
  { kysely }: Pick<Database, "kysely">,
  readBacklogs: () => Promise<readonly ProviderBacklog[]>,
  now: () => number,
): Promise<Readings> {
  const issues = await kysely
    .selectFrom("issues")
    .select(({ fn }) => ["code", fn.countAll<number>().as("count")])
    .where(isInState("open", new Date(now())))
    .groupBy("code")
    .execute();
  return {
    events: await readEvents(kysely),
    issues,
    waitingSeconds: await readWaiting(kysely),
    notifications: await readNotifications(kysely),
    backlogs: await readBacklogs(),
  };
}

/** Counts in an index alone, and no further than to one more than MOST_COUNTED. Only a literal status is found in that index, which leaves out the processed ones. */
async function readEvents(kysely: Kysely<Schema>): Promise<Readings["events"]> {
  const counts = WAITING_STATUSES.map(
    (status) => sql`select ${sql.lit(status)} as status, (select count(*) from (
      select 1 from events where status = ${sql.lit(status)} limit ${MOST_COUNTED + 1}) as counted)::int as count`,
  );
  const { rows } = await sql<{
    status: WaitingStatus;
    count: number;
  }>`${sql.join(counts, sql` union all `)}`.execute(kysely);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** Ids grow with time, so that the oldest event is found without a sort of all that wait. */
async function readWaiting(kysely: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from now() - received_at)::float8 as seconds
    from events join integrations using (provider_id)
    where events.status = 'queued' and integrations.state = 'active'
    order by event_id limit 1`.execute(kysely);
  return Math.max(0, rows[0]?.seconds ?? 0);
}

async function readNotifications(kysely: Kysely<Schema>): Promise<Readings["notifications"]> {
  const undelivered = (condition: RawBuilder<boolean>) => sql`(select count(*) from (
    select 1 from notifications where ${IS_UNDELIVERED} and withdrawn_at is null and ${condition}
    limit ${MOST_COUNTED + 1}) as counted)::int`;
  const { rows } = await sql<Readings["notifications"]>`
    select ${undelivered(sql`delivery_error is null`)} as waiting,
      ${undelivered(sql`delivery_error <> 'unsubscribed'`)} as failed`.execute(kysely);
  return rows[0] ?? { waiting: 0, failed: 0 };
}
