import type { Kysely } from "kysely";
import { problem } from "../../contract/problem.ts";
import { HOLDS_SEAT } from "../candidates/availability.ts";
import type { Booking, Job, Schema } from "../db/schema.ts";
import type { Trx } from "../transaction.ts";

/**
 * Locks the job until the transaction ends: whatever changes a job or its bookings goes through this lock. Take it before the rows of
 * candidates, issues and work, so that two transactions never wait for each other.
 * @throws ProblemError job_not_found
 */
export async function lockJob(trx: Trx, jobId: string): Promise<Job> {
  const job = await trx
    .selectFrom("jobs")
    .selectAll()
    .where("job_id", "=", jobId)
    .forUpdate()
    .executeTakeFirst();
  if (!job) throw problem("job_not_found", { detail: "There is no job with this jobId." });
  return job;
}

/** The bookings of a job that hold a seat, oldest first. */
export async function seatsOf(db: Kysely<Schema>, { provider_id, job_id }: Job): Promise<Booking[]> {
  return db
    .selectFrom("bookings")
    .selectAll()
    .where("provider_id", "=", provider_id)
    .where("job_id", "=", job_id)
    .where(HOLDS_SEAT)
    .orderBy("booking_id")
    .execute();
}

/** The employer has asked for the cancellation of a job that is not cancelled yet. */
export async function isBeingCancelled(
  db: Kysely<Schema>,
  { provider_id, shift_id }: Pick<Job, "provider_id" | "shift_id">,
): Promise<boolean> {
  const row = await db
    .selectFrom("pending_operations")
    .select("operation_id")
    .where("provider_id", "=", provider_id)
    .where("shift_id", "=", shift_id)
    .where("confirmed_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Where a job stands in a trace. */
export const placeOf = ({ provider_id, shift_id, job_id }: Job) => ({
  providerId: provider_id,
  shiftId: shift_id,
  jobId: job_id,
});

/** The shift of a job needs attention: an operator or a candidate waits. */
export const shiftOf = ({ provider_id, shift_id }: Job) =>
  ({ providerId: provider_id, kind: "shift", key: shift_id, priority: 0 }) as const;
