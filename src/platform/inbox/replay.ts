import { problem } from "../../contract/problem.ts";
import type { StoredEvent } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { requireIntegration } from "../integrations/integration.ts";
import type { Trx } from "../queue/task.ts";
import { recordSteps } from "../traces/trace.ts";
import { isShiftEvent } from "./receive.ts";
import { isReconciliation } from "./reconciliation.ts";

/** An event whose name says what to do; any other stays ignored, however often it is replayed. */
export const canBeProcessed = (event: StoredEvent): boolean =>
  isShiftEvent(event.event) || isReconciliation(event);

/**
 * Queues an event again, whatever came of it before: the dispatcher takes it. Answers how many were queued, 0 or 1.
 * @throws ProblemError event_not_found, event_queued.
 */
export async function replayEvent(deps: Deps, eventId: string): Promise<number> {
  return deps.database.kysely.transaction().execute(async (trx) => {
    const event = await trx
      .selectFrom("events")
      .selectAll()
      .where("event_id", "=", eventId)
      .forUpdate()
      .executeTakeFirst();
    if (!event) throw problem("event_not_found", { detail: "There is no event with this eventId." });
    if (event.status === "queued")
      throw problem("event_queued", { detail: "It waits already, and will be processed." });
    return canBeProcessed(event) ? queueAgain(trx, deps, [event]) : 0;
  });
}

/**
 * Queues again what failed for good, in the order of arrival. Answers how many events that were.
 * @throws ProblemError provider_not_found
 */
export async function replayEvents(deps: Deps, order: { providerId: string; since: Date }): Promise<number> {
  return deps.database.kysely.transaction().execute(async (trx) => {
    const { provider_id } = await requireIntegration(trx, order.providerId);
    const events = await trx
      .selectFrom("events")
      .selectAll()
      .where("provider_id", "=", provider_id)
      .where("status", "in", ["failed", "dead"])
      .where("received_at", ">=", order.since)
      .orderBy("event_id")
      .forUpdate()
      .execute();
    return queueAgain(trx, deps, events);
  });
}

// Values of one statement are limited, and so is what one statement should do.
const CHUNK = 1_000;

/** As if they had just come: with all their tries, and never taken for echoes. */
async function queueAgain(trx: Trx, { now }: Deps, events: readonly StoredEvent[]): Promise<number> {
  for (let start = 0; start < events.length; start += CHUNK) {
    const chunk = events.slice(start, start + CHUNK);
    const ids = chunk.map(({ event_id }) => event_id);
    await trx
      .updateTable("events")
      .set({ status: "queued", dispatched_at: null, processed_at: null, verdict: null })
      .set({ attempts: 0, absences: 0, replayed_at: now() })
      .where("event_id", "in", ids)
      .execute();
    await recordSteps(trx, chunk.map(replayStep));
  }
  return events.length;
}

const replayStep = ({ trace_id, provider_id, shift_id, event }: StoredEvent) =>
  ({
    traceId: trace_id,
    step: "event",
    verdict: `${event} queued again by an operator`,
    providerId: provider_id,
    shiftId: shift_id,
  }) as const;
