import type { StoredEvent } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";
import { EVENTS_QUEUE, type EventTask } from "./dispatch.ts";

type Stored = Pick<StoredEvent, "event_id" | "provider_id" | "event" | "shift_id" | "trace_id">;

/**
 * Queues the task of an event here and now, behind what waits of its shift. Of an event that is marked as dispatched: the dispatcher
 * leaves it alone. Its task before has left the queue in this transaction, if it had one.
 */
export async function enqueueEvent(trx: Trx, { queue }: Deps, event: Stored): Promise<void> {
  const { event_id: eventId, provider_id: providerId, shift_id: shiftId, trace_id: traceId } = event;
  const data = { eventId, providerId, event: event.event, shiftId, traceId };
  const task = { id: eventId, key: `${providerId}:${shiftId}`, group: providerId, data };
  await queue.enqueue<EventTask>(trx, EVENTS_QUEUE, task);
}
