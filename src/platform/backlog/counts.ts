import { type RawBuilder, sql } from "kysely";
import type { Backlog } from "../../../generated/operations/types.ts";
import type { Database } from "../db/database.ts";

/** What waits for one provider, or is in progress. */
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

/**
 * Reads the counts by providerId, of one provider or, without one, of all. `tries`: failed attempts after which work is only tried each hour.
 */
export async function readCounts(
  { kysely }: Pick<Database, "kysely">,
  tries: number,
  providerId: string,
): Promise<Map<string, Counts>> {
  const isOf = providerId === "" ? sql`true` : sql`provider_id = ${providerId}`;
  const counts = new Map<string, Counts>();
  for (const statement of [dueWork(isOf), laterWork(isOf, tries), mail(isOf)])
    for (const row of (await statement.execute(kysely)).rows)
      counts.set(row.providerId, withRow(counts.get(row.providerId), row));
  for (const row of (await storedEvents(isOf).execute(kysely)).rows)
    counts.set(row.providerId, withEvents(counts.get(row.providerId), row));
  return counts;
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

/** Most shifts that were due when the integration was suspended have stored events: they count once. */
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

/** However much is due, it is counted in the index `work_due` alone, which has no kind: a probe, at most one, is taken off. */
const dueWork = (isOf: Part) => sql<Row>`
  select provider_id as "providerId", priority, 0 as "inProgress", min(due_at) as "oldestAt",
    count(*) - (select count(*) from work as probe where probe.provider_id = work.provider_id and kind = 'probe'
      and probe.priority = work.priority and due_at <= now()) as waiting
  from work
  where ${isOf} and priority in (0, 1, 2) and due_at <= now() and kind <> 'mail'
  group by provider_id, priority`;

/**
 * In progress, or waiting for another attempt; in the background only what is due within ten minutes, the longest time between two attempts.
 * `due_at` is then the next attempt. What an event caused is as old as the event (`storedEvents`), a person's row as old as the booking; of any
 * other shift it is only known when it was last read.
 */
const laterWork = (isOf: Part, tries: number) => sql<Row>`
  select provider_id as "providerId", priority, count(*) filter (where claim is null) as waiting,
    count(*) filter (where claim is not null) as "inProgress",
    min(case when priority = 1 or attempts = 0 then null when kind = 'person' then created_at
      else greatest(created_at, (select read_at from shifts
        where shifts.provider_id = work.provider_id and shifts.shift_id = work.key)) end)
      filter (where claim is null) as "oldestAt"
  from work
  where ${isOf} and kind not in ('mail', 'probe') and due_at > now()
    and (priority < 2 or priority = 2 and due_at < now() + interval '10 minutes' and (claim is not null or attempts > 0))
    and (claim is not null or attempts < ${tries}::int)
  group by provider_id, priority`;

const mail = (isOf: Part) => sql<Row>`
  select provider_id as "providerId", null as priority, count(*) as waiting, 0 as "inProgress", null as "oldestAt"
  from work where ${isOf} and kind = 'mail' group by provider_id`;

/**
 * Of an integration that is not active, shifts with stored events. Of an active one they only say how old the work is whose attempts failed: where
 * none has failed, they are not read.
 */
const storedEvents = (isOf: Part) => sql<EventRow>`
  with concerned as materialized (
    select provider_id, state <> 'active' as waits from integrations
    where ${isOf} and (state <> 'active' or health <> 'reachable' or paused_since is not null or (select true from work
      where work.provider_id = integrations.provider_id and priority = 1 and due_at > now() and kind <> 'mail'
        and attempts > 0 and claim is null limit 1)))
  select provider_id as "providerId", min(received_at) as "oldestAt",
    count(distinct case when waits then shift_id end) as shifts
  from concerned join events using (provider_id)
  where status in ('queued', 'dead') and (status = 'queued' or waits)
  group by provider_id`;
