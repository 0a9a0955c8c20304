import type { Kysely } from "kysely";
import type { Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { lockJob } from "../jobs/job.ts";
import type { Trx } from "../queue/task.ts";
import { enqueueDeliveries } from "./queue.ts";

interface Waiting {
  notificationId: string;
  candidateId: string;
  jobId: string;
  kind: string;
}

/** Why an offer is not sent: what it says is not so any more. Undefined while it is; everything else that is told has happened. */
export async function whyWithheld(
  db: Kysely<Schema>,
  { now }: Deps,
  { kind, jobId, candidateId }: Waiting,
): Promise<string | undefined> {
  if (kind !== "job_offered") return undefined;
  const { status, start_time } = await db
    .selectFrom("jobs")
    .select(["status", "start_time"])
    .where("job_id", "=", jobId)
    .executeTakeFirstOrThrow();
  if (status !== "open") return `the job is ${status}`;
  if (start_time <= now()) return "the shift has started";
  const booking = await db
    .selectFrom("bookings")
    .select("booking_id")
    .where("job_id", "=", jobId)
    .where("candidate_id", "=", candidateId)
    .where("status", "in", ["pending", "confirmed"])
    .executeTakeFirst();
  return booking && "the candidate is booked on it";
}

/** Notes it, so that the offer is told anew when the job is open again. Should it be so already, it goes on its way. */
export async function withhold(trx: Trx, deps: Deps, waiting: Waiting): Promise<void> {
  const { notificationId: notification_id, candidateId: candidate_id, jobId } = waiting;
  await lockJob(trx, jobId);
  const reason = await whyWithheld(trx, deps, waiting);
  if (reason === undefined) return enqueueDeliveries(trx, deps, [{ notification_id, candidate_id }]);
  await trx
    .updateTable("notifications")
    .set({ delivery_error: reason, withheld_at: deps.now() })
    .where("notification_id", "=", notification_id)
    .execute();
}
