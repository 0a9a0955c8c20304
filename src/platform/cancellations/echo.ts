import { sql } from "kysely";
import type { StoredEvent } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";

/** A DELETE of ours is to be echoed. Whether this event is the echo is decided when the pending operation is used up. */
export async function isEchoExpected({ database, now }: Deps, event: StoredEvent): Promise<boolean> {
  const { rows } = await sql`
    select operation_id from pending_operations where ${isAwaited(event, now())} limit 1`.execute(
    database.kysely,
  );
  return rows.length > 0;
}

/** Of a pending operation: the echo of this event's shift has not come, and still may. */
const isAwaited = ({ provider_id, shift_id }: StoredEvent, now: Date) => sql<boolean>`
  provider_id = ${provider_id} and shift_id = ${shift_id} and operation = 'delete'
  and consumed_at is null and expires_at > ${now}`;

/**
 * Is this `shift.delete` the echo of a DELETE of ours (contract section 1, flow 4)? If so the pending operation is used up:
 * it answers for one echo only, and only while it is expected.
 */
export async function takeEcho(trx: Trx, { now }: Deps, event: StoredEvent): Promise<boolean> {
  const { rows } = await sql`
    update pending_operations set consumed_at = ${now()}, consumed_by = ${event.event_id}
    where operation_id = (
      select operation_id from pending_operations where ${isAwaited(event, now())}
      order by operation_id limit 1 for update)
    returning operation_id`.execute(trx);
  return rows.length > 0;
}
