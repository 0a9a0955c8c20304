import { sql } from "kysely";
import type { StoredEvent } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";
import { recordSteps } from "../traces/trace.ts";

const HOUR_MS = 3_600_000;
/** Older dead letters are left to a person. */
const REVIVED_FOR_MS = 7 * 24 * HOUR_MS;
/** Events of one transaction. */
const BATCH = 1_000;

/**
 * Decision: 12 tries are over after some 20 minutes, and an outage may be longer. So a
 * dead letter that says no more than that the provider gave no answer is queued again: when the provider answers again, and each hour.
 * For 7 days, once an hour at most, and only while the integration is active.
 */
export async function reviveOf(deps: Deps, providerId: string): Promise<void> {
  const due = { eventIds: (before: Date) => isOf(providerId, before), why: "the provider answers again" };
  try {
    while ((await reviveBatch(deps, due)) === BATCH);
  } catch (error) {
    deps.log.warn({ err: error, providerId }, "could not queue dead letters again");
  }
}

/** The hourly round, of all organisations; answers how many events were queued, at most a batch. */
export function reviveDue(deps: Deps): Promise<number> {
  return reviveBatch(deps, { eventIds: isDue, why: "an hour has passed" });
}

interface Due {
  /** Which of the dead letters; `before`: an hour ago. */
  eventIds: (before: Date) => ReturnType<typeof sql<boolean>>;
  why: string;
}

const isOf = (providerId: string, before: Date) =>
  sql<boolean>`provider_id = ${providerId} and (revived_at is null or revived_at <= ${before})`;

const isDue = (before: Date) => sql<boolean>`coalesce(revived_at, processed_at) <= ${before}`;

function reviveBatch(deps: Deps, { eventIds, why }: Due): Promise<number> {
  const now = deps.now();
  const ago = (ms: number) => new Date(now.getTime() - ms);
  return deps.database.kysely.transaction().execute(async (trx) => {
    const { rows } = await sql<StoredEvent>`
      update events set status = 'queued', dispatched_at = null, processed_at = null, verdict = null,
        attempts = 0, absences = 0, revived_at = ${now}
      where event_id = any (array(
        select event_id from events
        where status = 'dead' and event in ('shift.create', 'shift.update', 'shift.delete')
          and received_at >= ${ago(REVIVED_FOR_MS)} and ${eventIds(ago(HOUR_MS))}
          and provider_id in (select provider_id from integrations where state = 'active')
        order by event_id limit ${BATCH} for update skip locked))
      returning *`.execute(trx);
    await tell(trx, rows, why);
    return rows.length;
  });
}

function tell(trx: Trx, events: readonly StoredEvent[], why: string): Promise<void> {
  const steps = events.map(({ trace_id, provider_id, shift_id, event }) => ({
    traceId: trace_id,
    step: "event" as const,
    verdict: `${event} queued again by itself: ${why}`,
    providerId: provider_id,
    shiftId: shift_id,
  }));
  return recordSteps(trx, steps);
}
