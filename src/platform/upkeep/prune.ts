import { sql } from "kysely";
import type { Deps } from "../deps.ts";

const DAY_MS = 24 * 3_600_000;
/** DECISIONS, "duplicate traceId": an event is known for so long. */
const EVENTS_KEPT_MS = 30 * DAY_MS;
const STEPS_KEPT_MS = 90 * DAY_MS;
/** As long as the operations API can look back. */
const FIGURES_KEPT_MS = 7 * DAY_MS;
/** Rows of one round, and of one transaction. */
const BATCH = 1_000;

/** Deletes events that ended and are too old to be repeated; returns how many, at most a batch. */
export async function pruneEvents({ database, now }: Deps): Promise<number> {
  const before = new Date(now().getTime() - EVENTS_KEPT_MS);
  const { numAffectedRows } = await sql`
    delete from events where (provider_id, shift_id, event, trace_id) in (
      select provider_id, shift_id, event, trace_id from events
      where received_at < ${before} and status not in ('queued', 'dead')
      order by received_at limit ${BATCH} for update skip locked)`.execute(database.kysely);
  return Number(numAffectedRows ?? 0);
}

/** Deletes trace steps that are old enough; returns how many, at most a batch. */
export async function pruneSteps({ database, now }: Deps): Promise<number> {
  const before = new Date(now().getTime() - STEPS_KEPT_MS);
  const { numAffectedRows } = await sql`
    delete from trace_steps where (provider_id, step_id) in (
      select provider_id, step_id from trace_steps where at < ${before} limit ${BATCH})`.execute(
    database.kysely,
  );
  return Number(numAffectedRows ?? 0);
}

/** Deletes operations of which no echo can come any more; returns how many, at most a batch. */
export async function pruneOperations({ database, now }: Deps): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from pending_operations where (provider_id, operation_id) in (
      select provider_id, operation_id from pending_operations
      where expires_at < ${now()} and confirmed_at is not null limit ${BATCH})`.execute(database.kysely);
  return Number(numAffectedRows ?? 0);
}

/** Deletes the figures of minutes that cannot be asked for; returns how many, at most a batch. */
export async function pruneFigures({ database, now }: Deps): Promise<number> {
  const before = new Date(now().getTime() - FIGURES_KEPT_MS);
  const { numAffectedRows } = await sql`
    delete from figures where (minute, name, provider_id) in (
      select minute, name, provider_id from figures where minute < ${before}
      order by minute limit ${BATCH} for update skip locked)`.execute(database.kysely);
  return Number(numAffectedRows ?? 0);
}
