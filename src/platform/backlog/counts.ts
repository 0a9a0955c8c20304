import { type RawBuilder, sql } from "kysely";
import type { Backlog } from "../../../generated/operations/types.ts";
import type { Database } from "../db/database.ts";
import { isSilent } from "../integrations/conditions.ts";
import { FIGURES } from "../metrics/figures.ts";

/** The work of one provider that waits or is in progress. */
export interface Counts extends Pick<Backlog, "waiting" | "mail" | "inProgress"> {
  oldestAt: Date | null;
}

interface Row {
  providerId: string;
  /** 0 to 2; null for mail. */
  priority: 0 | 1 | 2 | null;
  waiting: number;
  inProgress: number;
  oldestAt: Date | null;
}

interface EventRow {
  providerId: string;
  shifts: number;
  oldestAt: Date;
}

const NAMES = ["interactive", "events", "background"] as const;

export const NOTHING: Counts = {
  waiting: { interactive: 0, events: 0, background: 0 },
  mail: 0,
  inProgress: 0,
  oldestAt: null,
};

interface Options {
  /** Failed attempts after which work is retried only each hour. */
  tries: number;
  /** The most concurrent calls. Claims beyond them wait for a place. */
  atOnce: number;
}

/** Returns the counts by providerId, of one provider or, if it is empty, of all. */
export async function readCounts(
  { kysely }: Pick<Database, "kysely">,
  { tries, atOnce }: Options,
  providerId: string,
): Promise<Map<string, Counts>> {
  const isOf = providerId === "" ? sql`true` : sql`provider_id = ${providerId}`;
  const counts = new Map<string, Counts>();
  for (const statement of [dueWork(isOf), laterWork(isOf, tries), claimedWork(isOf, atOnce), mail(isOf)])
    for (const row of (await statement.execute(kysely)).rows)
      counts.set(row.providerId, withRow(counts.get(row.providerId), row));
  for (const row of (await storedEvents(isOf).execute(kysely)).rows)
    counts.set(row.providerId, withEvents(counts.get(row.providerId), row));
  return counts;
}

/** Returns when the oldest pending booking of each provider was created. */
export async function readPending({ kysely }: Pick<Database, "kysely">): Promise<Map<string, Date>> {
  const { rows } = await sql<{ providerId: string; since: Date }>`
    select provider_id, min(created_at) as since from bookings where status = 'pending' group by provider_id`.execute(
    kysely,
  );
  return new Map(rows.map(({ providerId, since }) => [providerId, since]));
}

/** When the last webhook of each provider was stored, by all processes, to the minute. */
export async function readLastWebhooks({ kysely }: Pick<Database, "kysely">): Promise<Map<string, Date>> {
  const { rows } = await sql<{ providerId: string; at: Date | null }>`
    select provider_id, (
      select minute from figures where figures.provider_id = integrations.provider_id
        and figures.name = ${FIGURES.webhooks} order by minute desc limit 1) as at
    from integrations`.execute(kysely);
  return new Map(rows.flatMap(({ providerId, at }) => (at ? [[providerId, at]] : [])));
}

function withRow(counts = NOTHING, { priority, waiting, inProgress, oldestAt }: Row): Counts {
  if (priority === null) return { ...counts, mail: waiting };
  const name = NAMES[priority];
  return {
    ...counts,
    waiting: { ...counts.waiting, [name]: counts.waiting[name] + waiting },
    inProgress: counts.inProgress + inProgress,
    oldestAt: older(counts.oldestAt, oldestAt),
  };
}

/** Adds stored events. Shifts that were due when the integration was suspended usually have events too, and count once. */
function withEvents(counts = NOTHING, { shifts, oldestAt }: EventRow): Counts {
  const events = Math.max(counts.waiting.events, shifts);
  const waiting = { ...counts.waiting, events };
  return { ...counts, waiting, oldestAt: events > 0 ? older(counts.oldestAt, oldestAt) : counts.oldestAt };
}

function older(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

type Part = RawBuilder<unknown>;

/** The age of work that no event caused: of a person, that of the work; of a shift, the time since it was last read. */
const SINCE = sql`case when kind = 'person' then created_at else greatest(created_at, (select believed_at from shifts
  where shifts.provider_id = work.provider_id and shifts.shift_id = work.key)) end`;

/** Counts due work with the index `work_due` alone. It has no kind, so the probe, at most one, is subtracted. */
const dueWork = (isOf: Part) => sql<Row>`
  select provider_id, priority, 0 as "inProgress", min(due_at) as "oldestAt",
    count(*) - (select count(*) from work as probe where probe.provider_id = work.provider_id and kind = 'probe'
      and probe.priority = work.priority and due_at <= now()) as waiting
  from work
  where ${isOf} and priority in (0, 1, 2) and is_first in (true, false) and due_at <= now() and kind not in ('mail', 'webhook')
  group by provider_id, priority`;

/**
 * Counts work that waits for another attempt; of background work only what is due within ten minutes, the longest delay between attempts. Work of
 * an event is as old as the event (`storedEvents`).
 */
const laterWork = (isOf: Part, tries: number) => sql<Row>`
  select provider_id, priority, count(*) as waiting, 0 as "inProgress",
    min(case when priority <> 1 and attempts > 0 then ${SINCE} end) as "oldestAt"
  from (
    select * from work where priority in (0, 1) and kind not in ('mail', 'webhook') and due_at > now()
    union all
    select * from work where priority = 2 and kind not in ('mail', 'webhook') and due_at > now() and due_at < now() + interval '10 minutes' and attempts > 0) as work
  where ${isOf} and kind <> 'probe' and claim is null and attempts < ${tries}::int
  group by provider_id, priority`;

/** Counts claimed work. More is claimed than can be called at the same time; the rest waits, ordered by priority and age. */
const claimedWork = (isOf: Part, atOnce: number) => sql<Row>`
  with claimed as (
    select provider_id, priority, coalesce((select min(received_at) from events
      where events.provider_id = work.provider_id and events.shift_id = work.key and status = 'queued'), ${SINCE}) as since
    from work where ${isOf} and claim is not null and due_at > now() and kind not in ('mail', 'webhook') and kind <> 'probe'),
  placed as (select *, row_number() over (partition by provider_id order by priority, since) > ${atOnce}::int as waits from claimed)
  select provider_id, priority, count(*) filter (where waits) as waiting,
    count(*) filter (where not waits) as "inProgress", min(since) filter (where waits) as "oldestAt"
  from placed group by provider_id, priority`;

const mail = (isOf: Part) => sql<Row>`
  select provider_id, null as priority, count(*) as waiting, 0 as "inProgress", null as "oldestAt"
  from work where ${isOf} and kind = 'mail' group by provider_id`;

/**
 * Counts shifts with stored events of inactive integrations. Of active ones, it reads only the age of failed work, and only if there is any.
 */
const storedEvents = (isOf: Part) => sql<EventRow>`
  with concerned as materialized (
    select provider_id, state <> 'active' as waits from integrations
    where ${isOf} and (state <> 'active' or ${isSilent(sql.ref("integrations.providerId"))} or (select true from work
      where work.provider_id = integrations.provider_id and priority = 1 and is_first in (true, false) and due_at > now()
        and kind not in ('mail', 'webhook') and attempts > 0 and claim is null limit 1)))
  select provider_id, min(received_at) as "oldestAt",
    count(distinct case when waits then shift_id end) as shifts
  from concerned join events using (provider_id)
  where status in ('queued', 'dead') and (status = 'queued' or waits)
  group by provider_id`;
