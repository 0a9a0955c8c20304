import type { Job, PendingOperation } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";

/** DECISIONS, "shift.delete": an echo is expected for so long. Milliseconds. */
const EXPECTED_FOR_MS = 24 * 3_600_000;

type Shift = Pick<Job, "provider_id" | "shift_id">;

/** Notes that a DELETE of ours is under way, before it is sent. */
export async function recordDelete(
  trx: Trx,
  deps: Deps,
  { provider_id, shift_id, trace_id }: Job,
): Promise<PendingOperation> {
  const created_at = deps.now();
  const expires_at = new Date(created_at.getTime() + EXPECTED_FOR_MS);
  return trx
    .insertInto("pending_operations")
    .values({
      operation_id: deps.newId(),
      operation: "delete",
      provider_id,
      shift_id,
      trace_id,
      created_at,
      expires_at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** A DELETE was asked for and neither confirmed nor refused yet. Of a job that is not cancelled. */
export async function isBeingCancelled(trx: Trx, shift: Shift): Promise<boolean> {
  const row = await trx
    .selectFrom("pending_operations")
    .select("operation_id")
    .where("provider_id", "=", shift.provider_id)
    .where("shift_id", "=", shift.shift_id)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * The DELETE was refused, or given up: no echo will come of it. A `shift.delete` that was taken for the echo was none, and is
 * processed after all.
 */
export async function forgetDelete(trx: Trx, { operation_id }: PendingOperation): Promise<void> {
  const forgotten = await trx
    .deleteFrom("pending_operations")
    .where("operation_id", "=", operation_id)
    .returning("consumed_by")
    .executeTakeFirst();
  if (!forgotten?.consumed_by) return;
  await trx
    .updateTable("events")
    .set({ status: "queued", dispatched_at: null, processed_at: null, verdict: null })
    .where("event_id", "=", forgotten.consumed_by)
    .where("status", "=", "skipped_echo")
    .execute();
}
