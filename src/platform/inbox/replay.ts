import { sql } from "kysely";
import { problem } from "../../contract/problem.ts";
import { isShiftEvent } from "../../contract/shift.ts";
import type { StoredEvent } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { requireIntegration } from "../integrations/integration.ts";
import type { Step } from "../step.ts";
import { publish } from "../stream.ts";
import { recordSteps, type Trx, transact } from "../transaction.ts";
import { EVENT_COLUMNS } from "../upkeep/event-log.ts";
import { markDue, PRIORITY } from "../work/rows.ts";

/**
 * Requeues an event, whatever its outcome was. Returns the number of requeued events: 0 for an event with an unknown name, otherwise 1.
 * @throws ProblemError event_not_found, event_queued.
 */
export async function replayEvent(deps: Deps, eventId: string): Promise<number> {
  return transact(deps, async (trx) => {
    const found = trx.selectFrom("allEvents").select("providerId").where("eventId", "=", eventId);
    const { providerId } = await found.executeTakeFirstOrThrow(unknownEvent);
    await restoreFromLog(trx, providerId, eventId);
    const event = await trx
      .selectFrom("events")
      .selectAll()
      .where("providerId", "=", providerId)
      .where("eventId", "=", eventId)
      .forUpdate()
      .executeTakeFirstOrThrow(unknownEvent);
    if (event.status === "queued")
      throw problem("event_queued", { detail: "The event is already queued and will be processed." });
    return isShiftEvent(event.event) ? requeueEvents(trx, deps, [event]) : 0;
  });
}

export const unknownEvent = () =>
  problem("event_not_found", { detail: "There is no event with this eventId." });

/**
 * Requeues events that failed or are dead, those of each in the order of arrival. Returns their number. After a failure the same request goes on with the
 * rest.
 * @throws ProblemError provider_not_found
 */
export async function replayEvents(deps: Deps, order: { providerId: string; since: Date }): Promise<number> {
  const { providerId } = await requireIntegration(deps.database.kysely, order.providerId);
  deps.audit?.note({ changes: [{ field: "since", after: order.since.toISOString() }] });
  let count = 0;
  for (const status of ["failed", "dead"] as const) {
    // An event that fails again meanwhile is not requeued again.
    for (let after: string | undefined = FIRST; after !== undefined; ) {
      const from: string = after;
      const batch = await transact(deps, async (trx) => {
        const events = await trx
          .selectFrom("events")
          .selectAll()
          .where("providerId", "=", providerId)
          // By its index, in order, from where the last batch ended.
          .where("status", "=", sql.lit(status))
          .where("eventId", ">", from)
          .where("receivedAt", ">=", order.since)
          .orderBy("eventId")
          .limit(BATCH)
          .forUpdate()
          .execute();
        await requeueEvents(trx, deps, events);
        return events;
      });
      count += batch.length;
      after = batch.length === BATCH ? batch.at(-1)?.eventId : undefined;
    }
  }
  return count;
}

/** Sorts before every event id. */
const FIRST = "00000000-0000-0000-0000-000000000000";

/** Moves an event from the event log, if it is there, to the table of waiting events. */
async function restoreFromLog(trx: Trx, providerId: string, eventId: string): Promise<void> {
  await sql`
    with recalled as (delete from event_log where provider_id = ${providerId} and event_id = ${eventId} returning *)
    insert into events (${EVENT_COLUMNS}) select ${EVENT_COLUMNS} from recalled on conflict do nothing`.execute(
    trx,
  );
}

/** Events of one transaction. */
const BATCH = 1_000;

/** Requeues events of an organisation as if they had just arrived, except that they are never skipped as echoes. */
async function requeueEvents(
  trx: Trx,
  deps: Pick<Deps, "now" | "wakeWorker">,
  events: readonly StoredEvent[],
): Promise<number> {
  if (events.length === 0) return 0;
  await trx
    .updateTable("events")
    .set({
      status: "queued",
      processedAt: null,
      verdict: null,
      isRead: false,
      attempts: 0,
      replayedAt: deps.now(),
    })
    .where("providerId", "=", String(events[0]?.providerId))
    .where(
      "eventId",
      "in",
      events.map(({ eventId }) => eventId),
    )
    .execute();
  recordSteps(trx, events.map(requeuedStep));
  for (const { eventId, providerId, shiftId } of events)
    publish(trx, { type: "event", eventId, providerId, shiftId, status: "queued" });
  markDue(trx, deps, events.map(shiftOfEvent));
  return events.length;
}

const shiftOfEvent = ({ providerId, shiftId }: StoredEvent) =>
  ({ providerId, kind: "shift", key: shiftId, priority: PRIORITY.event }) as const;

const requeuedStep = ({ traceId, providerId, shiftId, event }: StoredEvent): Step => ({
  traceId,
  providerId,
  shiftId,
  step: "event",
  code: "requeued",
  params: { event },
});
