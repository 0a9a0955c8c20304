import { sql, type Updateable } from "kysely";
import type { PendingOperationsTable } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream/news.ts";
import type { Trx } from "../transaction.ts";
import { markShiftsDue, PRIORITY } from "../work/due.ts";
import { toRow } from "./columns.ts";
import type { OperationPatch, Write } from "./draft.ts";
import type { ShiftKey } from "./load.ts";

export async function writeEvents(
  trx: Trx,
  { now }: Deps,
  { providerId, shiftId }: ShiftKey,
  { eventIds, status, verdict, attempts }: Extract<Write, { write: "events" }>,
): Promise<void> {
  if (eventIds.length === 0) return;
  const processed = status === "queued" ? null : now();
  // The reading that ends an event is an attempt too.
  const isEnded = status !== "queued" && status !== "dead";
  await sql`
    update events set status = ${status}, verdict = ${JSON.stringify(verdict)}::text::jsonb,
      attempts = case when ${isEnded}::boolean then attempts + 1 else greatest(attempts, ${attempts}::int) end, processed_at = ${processed}::timestamptz
    where provider_id = ${providerId} and shift_id = ${shiftId}
      and event_id = any (array(select json_array_elements_text(${JSON.stringify(eventIds)}::text::json)::uuid))`.execute(
    trx,
  );
  for (const eventId of eventIds) publish(trx, { type: "event", eventId, providerId, shiftId, status });
}

export async function writeOperation(
  trx: Trx,
  { now }: Deps,
  providerId: string,
  operation_id: string,
  { isConfirmed, ...patch }: OperationPatch,
): Promise<void> {
  const echo = patch.consumedBy === undefined ? {} : { consumed_at: now() };
  const confirmed = isConfirmed ? { confirmed_at: now() } : {};
  const columns = { ...toRow<Updateable<PendingOperationsTable>>(patch), ...echo, ...confirmed };
  const update = trx.updateTable("pending_operations").set(columns);
  await update.where("provider_id", "=", providerId).where("operation_id", "=", operation_id).execute();
}

export async function forgetOperation(trx: Trx, providerId: string, operationId: string): Promise<void> {
  await sql`delete from pending_operations
    where provider_id = ${providerId} and operation_id = ${operationId}`.execute(trx);
}

/** The run in hand has read without the event, so the shift is due again. */
export async function requeueEcho(
  trx: Trx,
  deps: Deps,
  { providerId, shiftId }: ShiftKey,
  eventId: string,
): Promise<void> {
  const { rows } = await sql`
    update events set status = 'queued', processed_at = null, verdict = null
    where provider_id = ${providerId} and event_id = ${eventId} and status = 'skipped_echo'
    returning event_id`.execute(trx);
  if (rows.length === 0) return;
  publish(trx, { type: "event", eventId, providerId, shiftId, status: "queued" });
  const shift = sql`select provider_id, shift_id from events where event_id = ${eventId}`;
  await markShiftsDue(trx, deps, shift, PRIORITY.event);
}
