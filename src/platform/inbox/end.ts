import type { EventStatus, StoredEvent } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";
import { recordSteps, type Step } from "../traces/trace.ts";

/** How an event ended. */
export interface EventEnd {
  status: EventStatus;
  verdict: string;
  attempt: number;
}

export async function endEvent(
  trx: Trx,
  { now }: Deps,
  event: StoredEvent,
  { status, verdict, attempt }: EventEnd,
): Promise<void> {
  await trx
    .updateTable("events")
    .set({ status, verdict, attempts: attempt, processed_at: now() })
    .where("event_id", "=", event.event_id)
    .execute();
  await recordSteps(trx, [{ ...fetchStep(event, verdict), step: "event" }]);
}

/** Ends the events that the fetch for `event` answered too. Each tells in its own story where it went. */
export async function endTogether(
  trx: Trx,
  { now }: Deps,
  event: StoredEvent,
  eventIds: readonly string[],
): Promise<void> {
  if (eventIds.length === 0) return;
  const verdict = `read together with ${event.event} of trace ${event.trace_id}`;
  const ended = await trx
    .updateTable("events")
    .set({ status: "processed", verdict, processed_at: now() })
    .where(({ eb, val }) => eb("event_id", "=", eb.fn.any(val([...eventIds]))))
    .where("status", "=", "queued")
    .returningAll()
    .execute();
  await recordSteps(
    trx,
    ended.map((each) => ({ ...fetchStep(each, verdict), step: "event" as const })),
  );
}

export function fetchStep(event: StoredEvent, verdict: string, durationMs?: number): Step {
  return {
    traceId: event.trace_id,
    step: "fetch",
    verdict,
    providerId: event.provider_id,
    shiftId: event.shift_id,
    ...(durationMs !== undefined && { durationMs }),
  };
}
