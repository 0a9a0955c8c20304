import { sql, type Updateable } from "kysely";
import type { EventStatus, Outcome } from "../../../../generated/operations/types.ts";
import { jsonRows } from "../../db/fragments.ts";
import { providerOf } from "../../db/organisation.ts";
import type { PendingOperationsTable } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { publish } from "../../stream.ts";
import { afterCommit, type Trx, type Writer, writeAtEnd } from "../../transaction.ts";
import { markShiftsDue, PRIORITY } from "../../work/rows.ts";
import type { ShiftKey } from "../observe/load.ts";
import type { KnownShift } from "../plan/state.ts";
import type { OperationPatch, ShiftPatch, Write } from "../plan/writes.ts";
import { type StoredBelief, toRow, toStored } from "../stored.ts";

export function writeEvents(
  trx: Trx,
  { now, eventsEnded }: Deps,
  key: ShiftKey,
  { eventIds, status, verdict, attempts, isRead }: Extract<Write, { write: "events" }>,
): void {
  if (status !== "queued") afterCommit(trx, () => eventsEnded?.(status, eventIds.length));
  const processedAt = status === "queued" ? null : now();
  for (const eventId of eventIds) {
    writeAtEnd(trx, EVENTS, { ...key, eventId, status, verdict, attempts, isRead, processedAt });
    publish(trx, { type: "event", eventId, ...key, status });
  }
}

interface EventRow extends ShiftKey {
  eventId: string;
  status: EventStatus;
  verdict: Outcome;
  attempts: number;
  isRead: boolean;
  processedAt: Date | null;
}

const EVENTS: Writer<EventRow> = {
  table: "events",
  write: async (trx, rows, organisation) => {
    // The last write of an event wins.
    const last = [...new Map(rows.map((row) => [row.eventId, row])).values()];
    // The reading that ends an event counts as an attempt.
    await sql`
      update events set status = seen.status, verdict = seen.verdict, is_read = seen."isRead", processed_at = seen."processedAt",
        attempts = case when seen.status in ('queued', 'dead') then greatest(events.attempts, seen.attempts)
          else events.attempts + 1 end
      from ${jsonRows(last)} as seen ("providerId" uuid, "shiftId" text,
        "eventId" uuid, status text, verdict jsonb, attempts int, "isRead" boolean, "processedAt" timestamptz)
      where events.provider_id = ${providerOf(organisation, "seen.providerId")} and events.shift_id = seen."shiftId"
        and events.event_id = seen."eventId"`.execute(trx);
  },
};

export async function writeOperation(
  trx: Trx,
  { now }: Deps,
  providerId: string,
  operationId: string,
  { isConfirmed, ...patch }: OperationPatch,
): Promise<void> {
  const echo = patch.consumedBy === undefined ? {} : { consumedAt: now() };
  const confirmed = isConfirmed ? { confirmedAt: now() } : {};
  const columns = { ...toRow<Updateable<PendingOperationsTable>>(patch), ...echo, ...confirmed };
  const update = trx.updateTable("pendingOperations").set(columns);
  await update.where("providerId", "=", providerId).where("operationId", "=", operationId).execute();
}

export async function forgetOperation(trx: Trx, providerId: string, operationId: string): Promise<void> {
  await sql`delete from pending_operations
    where provider_id = ${providerId} and operation_id = ${operationId}`.execute(trx);
}

/** Requeues an event that was skipped as an echo. The current run has read without it, so the shift is due again. */
export async function requeueEcho(
  trx: Trx,
  deps: Deps,
  { providerId, shiftId }: ShiftKey,
  eventId: string,
): Promise<void> {
  const { rows } = await sql`
    update events set status = 'queued', processed_at = null, verdict = null, is_read = false
    where provider_id = ${providerId} and event_id = ${eventId} and status = 'skipped_echo'
    returning event_id`.execute(trx);
  if (rows.length === 0) return;
  publish(trx, { type: "event", eventId, providerId, shiftId, status: "queued" });
  const shift = sql`select provider_id, shift_id from events
    where provider_id = ${providerId} and event_id = ${eventId}`;
  await markShiftsDue(trx, deps, shift, PRIORITY.event);
}

/** Writes what is known of the shift, together with the other shifts of the transaction. */
export function writeShift(
  trx: Trx,
  { now }: Deps,
  key: ShiftKey,
  known: KnownShift,
  writes: readonly Write[],
): void {
  const patches = writes.flatMap((write) => (write.write === "shift" ? [write.patch] : []));
  if (patches.length === 0) return;
  const patch: ShiftPatch = Object.assign({}, ...patches);
  const { nextReadAt, belief } = { ...known, ...patch };
  const at = now().getTime();
  writeAtEnd(trx, SHIFTS, {
    ...key,
    belief: toStored(belief, at),
    isBelieved: patch.belief !== undefined,
    readsInMs: nextReadAt === null ? null : nextReadAt - at,
    missingInMs: belief.missingSince === null ? null : belief.missingSince - at,
    // Another transaction may have brought the reading forward in the meantime.
    keepsReading: patch.nextReadAt === undefined,
  });
}

interface ShiftRow extends ShiftKey {
  belief: StoredBelief;
  isBelieved: boolean;
  readsInMs: number | null;
  missingInMs: number | null;
  keepsReading: boolean;
}

/** Deadlines use the database's clock, so that setting back the clock of this machine cannot stop a shift. */
const SHIFTS: Writer<ShiftRow> = {
  table: "shifts",
  write: async (trx, rows, organisation) => {
    const provider = providerOf(organisation, "seen.providerId");
    await sql`
      with seen as (select seen.*, now() as at, now() + "readsInMs" * interval '1 millisecond' as "nextReadAt",
          now() + "missingInMs" * interval '1 millisecond' as "missingSince"
        from ${jsonRows(rows)} as seen ("providerId" uuid, "shiftId" text, belief jsonb,
        "isBelieved" boolean, "readsInMs" float8, "missingInMs" float8, "keepsReading" boolean)),
      known as (
        update shifts set
          next_read_at = case when seen."keepsReading" then next_read_at else seen."nextReadAt" end,
          belief = case when seen."isBelieved" then seen.belief else shifts.belief end,
          believed_at = case when seen."isBelieved" then seen.at else believed_at end,
          missing_since = case when seen."missingInMs" is not null then coalesce(missing_since, seen."missingSince") end
        from seen where shifts.provider_id = ${provider} and shifts.shift_id = seen."shiftId"
        returning shifts.provider_id, shifts.shift_id)
      insert into shifts (provider_id, shift_id, spelling, next_read_at, belief, believed_at, missing_since)
      select ${provider}, "shiftId", (select spelling from events where events.provider_id = ${provider}
          and events.shift_id = seen."shiftId" and spelling is not null order by event_id limit 1),
        "nextReadAt", belief, at, "missingSince"
      from seen where ("providerId", "shiftId") not in (select provider_id, shift_id from known)
      on conflict (provider_id, shift_id) do update set next_read_at = excluded.next_read_at,
        belief = excluded.belief, believed_at = excluded.believed_at, missing_since = excluded.missing_since`.execute(
      trx,
    );
  },
};
