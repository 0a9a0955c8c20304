import type { Kysely } from "kysely";
import { problem } from "../../contract/problem.ts";
import { HOLDS_SEAT } from "../db/fragments.ts";
import type { Booking, Job, Schema } from "../db/schema.ts";
import type { Trx } from "../transaction.ts";

/**
 * Locks the job until the transaction ends. Everything that changes a job or its bookings takes this lock, and takes it before locks on
 * candidates, issues, and work, so that two transactions cannot deadlock.
 * @throws ProblemError job_not_found
 */
export async function lockJob(trx: Trx, jobId: string): Promise<Job> {
  const { provider_id } = await trx
    .selectFrom("jobs")
    .select("provider_id")
    .where("job_id", "=", jobId)
    .executeTakeFirstOrThrow(unknownJob);
  // A distributed database locks the rows of one organisation only.
  return trx
    .selectFrom("jobs")
    .selectAll()
    .where("provider_id", "=", provider_id)
    .where("job_id", "=", jobId)
    .forUpdate()
    .executeTakeFirstOrThrow(unknownJob);
}

export const unknownJob = () => problem("job_not_found", { detail: "There is no job with this jobId." });

/**
 * Refuses a shift that has started: the status of its job changes only when the shift is reconciled.
 * @throws ProblemError job_not_open
 */
export function checkNotStarted({ start_time }: Job, now: Date): void {
  if (start_time <= now) throw problem("job_not_open", { detail: "The shift has started." });
}

/** Returns the bookings of a job that hold a seat, oldest first. */
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

/** Whether a requested cancellation of the job is in progress. */
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

/** Returns the ids of a job for a trace step. */
export const placeOf = ({ provider_id, shift_id, job_id }: Job) => ({
  providerId: provider_id,
  shiftId: shift_id,
  jobId: job_id,
});

/** Returns the interactive work on the shift of a job. */
export const shiftOf = ({ provider_id, shift_id }: Job) =>
  ({ providerId: provider_id, kind: "shift", key: shift_id, priority: 0 }) as const;
