import { sql } from "kysely";
import { problem } from "../../contract/problem.ts";
import { isShiftEvent } from "../../contract/shift-event.ts";
import type { StoredEvent } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { requireIntegration } from "../integrations/integration.ts";
import type { Step } from "../step.ts";
import { publish } from "../stream.ts";
import { recordSteps, type Trx, transact } from "../transaction.ts";
import { EVENT_COLUMNS } from "../upkeep/event-log.ts";
import { markDue, PRIORITY } from "../work/due.ts";

/**
 * Requeues an event, whatever its outcome was. Returns the number of requeued events: 0 for an event with an unknown name, otherwise 1.
 * @throws ProblemError event_not_found, event_queued.
 */
export async function replayEvent(deps: Deps, eventId: string): Promise<number> {
  return transact(deps, async (trx) => {
    const found = trx.selectFrom("all_events").select("provider_id").where("event_id", "=", eventId);
    const { provider_id } = await found.executeTakeFirstOrThrow(unknownEvent);
    await restoreFromLog(trx, provider_id, eventId);
    const event = await trx
      .selectFrom("events")
      .selectAll()
      .where("provider_id", "=", provider_id)
      .where("event_id", "=", eventId)
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
 * Requeues events that failed or are dead, in the order of arrival. Returns their number.
 * @throws ProblemError provider_not_found
 */
export async function replayEvents(deps: Deps, order: { providerId: string; since: Date }): Promise<number> {
  return transact(deps, async (trx) => {
    const { provider_id } = await requireIntegration(trx, order.providerId);
    deps.audit?.note({ changes: [{ field: "since", after: order.since.toISOString() }] });
    const events = await trx
      .selectFrom("events")
      .selectAll()
      .where("provider_id", "=", provider_id)
      .where("status", "in", ["failed", "dead"])
      .where("received_at", ">=", order.since)
      .orderBy("event_id")
      .forUpdate()
      .execute();
    return requeueEvents(trx, deps, events);
  });
}

/** Moves an event from the event log, if it is there, to the table of waiting events. */
export async function restoreFromLog(trx: Trx, providerId: string, eventId: string): Promise<void> {
  await sql`
    with recalled as (delete from event_log where provider_id = ${providerId} and event_id = ${eventId} returning *)
    insert into events (${EVENT_COLUMNS}) select ${EVENT_COLUMNS} from recalled on conflict do nothing`.execute(
    trx,
  );
}

/** Events of one statement, whose number of parameters is limited. */
const CHUNK = 1_000;

/** Requeues events of an organisation as if they had just arrived, except that they are never skipped as echoes. */
export async function requeueEvents(
  trx: Trx,
  deps: Pick<Deps, "now" | "wakeWorker">,
  events: readonly StoredEvent[],
): Promise<number> {
  for (let start = 0; start < events.length; start += CHUNK) {
    const chunk = events.slice(start, start + CHUNK);
    const ids = chunk.map(({ event_id }) => event_id);
    await trx
      .updateTable("events")
      .set({
        status: "queued",
        processed_at: null,
        verdict: null,
        is_read: false,
        attempts: 0,
        replayed_at: deps.now(),
      })
      .where("provider_id", "=", String(chunk[0]?.provider_id))
      .where("event_id", "in", ids)
      .execute();
    recordSteps(trx, chunk.map(requeuedStep));
    for (const { event_id: eventId, provider_id: providerId, shift_id: shiftId } of chunk)
      publish(trx, { type: "event", eventId, providerId, shiftId, status: "queued" });
  }
  markDue(trx, deps, events.map(shiftOfEvent));
  return events.length;
}

const shiftOfEvent = ({ provider_id, shift_id }: StoredEvent) =>
  ({ providerId: provider_id, kind: "shift", key: shift_id, priority: PRIORITY.event }) as const;

const requeuedStep = ({ trace_id, provider_id, shift_id, event }: StoredEvent): Step => ({
  traceId: trace_id,
  providerId: provider_id,
  shiftId: shift_id,
  step: "event",
  code: "requeued",
  params: { event },
});
