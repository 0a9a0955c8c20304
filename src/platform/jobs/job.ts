import type { Kysely } from "kysely";
import { problem } from "../../contract/problem.ts";
import { HOLDS_SEAT } from "../db/fragments.ts";
import type { Booking, Job, Schema } from "../db/schema.ts";
import type { Trx } from "../transaction.ts";

/**
 * Locks the job until the transaction ends. Everything that changes a job or its bookings takes this lock, in the order of `LOCK_ORDER`.
 * @throws ProblemError job_not_found
 */
export async function lockJob(trx: Trx, jobId: string): Promise<Job> {
  const { providerId } = await trx
    .selectFrom("jobs")
    .select("providerId")
    .where("jobId", "=", jobId)
    .executeTakeFirstOrThrow(unknownJob);
  // A distributed database locks the rows of one organisation only.
  return trx
    .selectFrom("jobs")
    .selectAll()
    .where("providerId", "=", providerId)
    .where("jobId", "=", jobId)
    .forUpdate()
    .executeTakeFirstOrThrow(unknownJob);
}

export const unknownJob = () => problem("job_not_found", { detail: "There is no job with this jobId." });

/**
 * Refuses a shift that has started: the status of its job changes only when the shift is reconciled.
 * @throws ProblemError job_not_open
 */
export function checkNotStarted({ startTime }: Job, now: Date): void {
  if (startTime <= now) throw problem("job_not_open", { detail: "The shift has started." });
}

/** Returns the bookings of a job that hold a seat, oldest first. */
export async function seatsOf(db: Kysely<Schema>, { providerId, jobId }: Job): Promise<Booking[]> {
  return db
    .selectFrom("bookings")
    .selectAll()
    .where("providerId", "=", providerId)
    .where("jobId", "=", jobId)
    .where(HOLDS_SEAT)
    .orderBy("bookingId")
    .execute();
}

/** Whether a requested cancellation of the job is in progress. */
export async function isBeingCancelled(
  db: Kysely<Schema>,
  { providerId, shiftId }: Pick<Job, "providerId" | "shiftId">,
): Promise<boolean> {
  const row = await db
    .selectFrom("pendingOperations")
    .select("operationId")
    .where("providerId", "=", providerId)
    .where("shiftId", "=", shiftId)
    .where("confirmedAt", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the ids of a job for a trace step. */
export const placeOf = ({ providerId, shiftId, jobId }: Job) => ({
  providerId,
  shiftId,
  jobId,
});

/** Returns the interactive work on the shift of a job. */
export const shiftOf = ({ providerId, shiftId }: Job) =>
  ({ providerId, kind: "shift", key: shiftId, priority: 0 }) as const;
