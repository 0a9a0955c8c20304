import type { Job } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { resolveIssuesOfShift } from "../issues/issues.ts";
import { notify } from "../notifications/notify.ts";
import type { Trx } from "../queue/task.ts";
import { recordSteps } from "../traces/trace.ts";
import { liveBookings, lockJobOf } from "./job.ts";

export interface Closing {
  providerId: string;
  shiftId: string;
  traceId: string;
  /** Why the bookings are released. */
  reason: "shift_deleted" | "shift_cancelled" | "job_cancelled";
}

/**
 * The shift is gone: cancels its job, releases and tells everybody booked, leaves a tombstone. Answers what came of it. Who worked stays
 * booked and is told nothing: a provider that clears away what is over cancels nothing by it.
 */
export async function closeJob(trx: Trx, deps: Deps, closing: Closing): Promise<string> {
  const { providerId, shiftId, traceId } = closing;
  await trx
    .insertInto("tombstones")
    .values({ provider_id: providerId, shift_id: shiftId, deleted_at: deps.now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const job = await lockJobOf(trx, providerId, shiftId);
  await resolveIssuesOfShift(trx, deps, providerId, shiftId);
  if (!job) return "the shift is gone; there was no job";
  if (job.status === "cancelled") return "nothing changed: the job is cancelled";
  const isOver = job.end_time <= deps.now();
  if (isOver && closing.reason !== "job_cancelled") return "nothing changed: the shift is over";
  const told = isOver ? 0 : await releaseEverybody(trx, deps, job, closing);
  await trx
    .updateTable("jobs")
    .set({ status: "cancelled", overfilled: false, updated_at: deps.now() })
    .where("job_id", "=", job.job_id)
    .execute();
  const where = { traceId, providerId, shiftId, jobId: job.job_id };
  await recordSteps(trx, [
    { ...where, step: "job", verdict: "job cancelled" },
    ...(told > 0
      ? [{ ...where, step: "notification", verdict: `cancellation told to ${told}` } as const]
      : []),
  ]);
  return "job cancelled";
}

async function releaseEverybody(
  trx: Trx,
  deps: Deps,
  job: Job,
  { traceId, reason }: Closing,
): Promise<number> {
  const bookings = await liveBookings(trx, job.job_id);
  await trx
    .updateTable("bookings")
    .set({ status: "released", reason, updated_at: deps.now() })
    .where("job_id", "=", job.job_id)
    .where("status", "in", ["pending", "confirmed"])
    .execute();
  for (const { booking_id } of bookings) await deps.signals.emit(trx, bookingTopic(booking_id));
  const candidateIds = bookings.map((booking) => booking.candidate_id);
  const content = { startTime: job.start_time, endTime: job.end_time, reason };
  return notify(trx, deps, candidateIds, {
    kind: "shift_cancelled",
    jobId: job.job_id,
    changeKey: "cancelled",
    content,
    traceId,
  });
}

/** The signal that a booking came to an end, or to a new state. */
export const bookingTopic = (bookingId: string): string => `booking:${bookingId}`;
