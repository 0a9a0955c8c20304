import { sql } from "kysely";
import type { StoredEvent } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";
import { forgetSteps } from "../traces/trace.ts";
import { enqueueEvent } from "./enqueue.ts";

/**
 * Decision: "events that never came" (DECISIONS) are replaced by an event of our own, stored and processed like a `shift.update`: in
 * the order of its shift, with the same retries, absence rule and dead letters. One that changes nothing leaves nothing behind.
 */
const RECONCILIATION = "shift.reconcile";

export const isReconciliation = ({ event }: Pick<StoredEvent, "event">): boolean => event === RECONCILIATION;

/** Nothing was missed: the hour leaves neither an event nor a story. */
export async function forgetReconciliation(trx: Trx, { event_id, trace_id }: StoredEvent): Promise<void> {
  await forgetSteps(trx, trace_id);
  await trx.deleteFrom("events").where("event_id", "=", event_id).execute();
}

export interface ReconciliationPace {
  /** How long a shift is left alone. Milliseconds. */
  everyMs: number;
  /** Shifts of one organisation at most in one round, so that its rate limit has room for its own events. */
  perProvider: number;
}

interface DueShift {
  provider_id: string;
  shift_id: string;
}

/**
 * Stores an event for each future shift that was not asked for since `everyMs`, those that wait longest first; answers how many. Each
 * shift is taken by one process. Shifts with an event that waits are read anyway.
 */
export async function reconcile(deps: Deps, pace: ReconciliationPace): Promise<number> {
  return deps.database.kysely.transaction().execute(async (trx) => {
    const due = await takeDue(trx, deps.now(), pace);
    if (due.length === 0) return 0;
    await dropFailed(trx, due);
    await trx
      .insertInto("events")
      .values(due.map((shift) => eventOf(deps, shift)))
      .execute();
    return due.length;
  });
}

/**
 * Reads one shift again now, because what the provider said of it does not fit what is known: otherwise its job would stay as it is,
 * and everybody else would be refused too. In vain when an event of the shift waits anyway.
 */
export async function readAgain(trx: Trx, deps: Deps, { provider_id, shift_id }: DueShift): Promise<void> {
  const waiting = await trx
    .selectFrom("events")
    .select("event_id")
    .where("provider_id", "=", provider_id)
    .where("shift_id", "=", shift_id)
    .where("status", "=", "queued")
    .executeTakeFirst();
  if (waiting) return;
  const shift = { provider_id, shift_id };
  await dropFailed(trx, [shift]);
  const event = { ...eventOf(deps, shift), dispatched_at: deps.now() };
  await trx.insertInto("events").values(event).execute();
  await enqueueEvent(trx, deps, event);
}

async function takeDue(trx: Trx, now: Date, { everyMs, perProvider }: ReconciliationPace) {
  const before = new Date(now.getTime() - everyMs);
  const { rows } = await sql<DueShift>`
    with due as (
      select job_id, row_number() over (partition by jobs.provider_id
        order by coalesce(reconciled_at, jobs.created_at), job_id) as place
      from jobs join integrations using (provider_id)
      where jobs.status in ('blocked_mapping', 'open', 'filled') and start_time > ${now}
        and coalesce(reconciled_at, jobs.created_at) <= ${before} and state = 'active'
        and not exists (select from events where events.provider_id = jobs.provider_id
          and events.shift_id = jobs.shift_id and events.status = 'queued')),
    taken as (
      select job_id from jobs
      where job_id in (select job_id from due where place <= ${perProvider})
        and coalesce(reconciled_at, created_at) <= ${before}
      for update skip locked)
    update jobs set reconciled_at = ${now} from taken where jobs.job_id = taken.job_id
    returning jobs.provider_id, jobs.shift_id`.execute(trx);
  return rows;
}

/** This hour's question takes the place of one that failed before. */
async function dropFailed(trx: Trx, due: readonly DueShift[]): Promise<void> {
  const shifts = JSON.stringify(due);
  await sql`
    delete from events
    using json_to_recordset(${shifts}::text::json) as again (provider_id uuid, shift_id text)
    where events.provider_id = again.provider_id and events.shift_id = again.shift_id
      and events.event = ${RECONCILIATION} and events.status in ('failed', 'dead')`.execute(trx);
}

function eventOf({ newId, newTraceId, now }: Deps, { provider_id, shift_id }: DueShift) {
  return {
    event_id: newId(),
    event: RECONCILIATION,
    provider_id,
    shift_id,
    trace_id: newTraceId(),
    received_at: now(),
  };
}
