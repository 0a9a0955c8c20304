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

/** Deletes events that ended and are too old to be repeated; answers how many, at most a batch. */
export async function pruneEvents({ database, now }: Deps): Promise<number> {
  const before = new Date(now().getTime() - EVENTS_KEPT_MS);
  const { numAffectedRows } = await sql`
    delete from events where event_id in (
      select event_id from events where received_at < ${before} and status <> 'queued'
      order by received_at limit ${BATCH} for update skip locked)`.execute(database.kysely);
  return Number(numAffectedRows ?? 0);
}

/** Deletes the oldest steps of stories, if they are old enough; only a batch is looked at, because they are in order of time. */
export async function pruneSteps({ database, now }: Deps): Promise<number> {
  const before = new Date(now().getTime() - STEPS_KEPT_MS);
  const { numAffectedRows } = await sql`
    delete from trace_steps where step_id in (
      select step_id from (select step_id, at from trace_steps order by step_id limit ${BATCH}) as oldest
      where at < ${before})`.execute(database.kysely);
  return Number(numAffectedRows ?? 0);
}

/** Deletes the figures of minutes that nobody can ask for; answers how many, at most a batch. */
export async function pruneFigures({ database, now }: Deps): Promise<number> {
  const before = new Date(now().getTime() - FIGURES_KEPT_MS);
  const { numAffectedRows } = await sql`
    delete from figures where (minute, name, provider_id) in (
      select minute, name, provider_id from figures where minute < ${before}
      order by minute limit ${BATCH} for update skip locked)`.execute(database.kysely);
  return Number(numAffectedRows ?? 0);
}
