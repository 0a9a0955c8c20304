import type { Deps } from "../deps.ts";
import { EVENTS_QUEUE } from "../inbox/dispatch.ts";
import { withoutTask } from "../queue/strays.ts";

/** An event gets its task in the transaction that dispatches it. Milliseconds. */
const DISPATCHED_AGO_MS = 60_000;
/** Events of one transaction. */
const BATCH = 1_000;

/**
 * A safety net: an event that waits, was dispatched and has no task would wait for ever, and nobody would read its shift again, because an
 * event of it waits. The dispatcher takes it once more; answers how many those are.
 */
export function dispatchStrays({ database, now, log }: Deps): Promise<number> {
  const before = new Date(now().getTime() - DISPATCHED_AGO_MS);
  return database.kysely.transaction().execute(async (trx) => {
    const waiting = await trx
      .selectFrom("events")
      .select("event_id")
      .where("status", "=", "queued")
      .where("dispatched_at", "<", before)
      .orderBy("event_id")
      .limit(BATCH)
      .execute();
    if (waiting.length === 0) return 0;
    const ids = waiting.map(({ event_id }) => event_id);
    const strays = await withoutTask(trx, EVENTS_QUEUE, ids);
    if (strays.length === 0) return 0;
    // One that ended since it was looked at is not queued any more, one whose task was made anew has another time.
    const { numUpdatedRows } = await trx
      .updateTable("events")
      .set({ dispatched_at: null })
      .where("event_id", "in", strays)
      .where("status", "=", "queued")
      .where("dispatched_at", "<", before)
      .executeTakeFirst();
    log.warn({ events: strays.length }, "events without a task are dispatched again");
    return Number(numUpdatedRows);
  });
}
