import { problem } from "../../contract/problem.ts";
import type { Booking } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { liveBookings, lockJob } from "../jobs/job.ts";
import type { TaskEnd } from "../queue/task.ts";
import { recordSteps } from "../traces/trace.ts";
import type { Seat } from "./accept.ts";
import { type BookingCase, moveBooking } from "./case.ts";
import { enqueueBooking } from "./queue.ts";
import { takeOffAgain } from "./take-back.ts";

/**
 * Takes a candidate off a job: queues the call to the provider, behind the one that put the candidate on it.
 * @throws ProblemError job_not_found, booking_not_found.
 */
export async function withdraw(deps: Deps, seat: Seat): Promise<Booking> {
  return deps.database.kysely.transaction().execute(async (trx) => {
    const job = await lockJob(trx, seat.jobId);
    if (!job) throw problem("job_not_found", { detail: "There is no job with this jobId." });
    const live = await liveBookings(trx, job.job_id);
    const booking = live.find(({ candidate_id }) => candidate_id === seat.candidateId);
    if (!booking) throw problem("booking_not_found", { detail: "The candidate holds no seat on this job." });
    await trx
      .updateTable("bookings")
      .set({ withdrawn_at: deps.now() })
      .where("booking_id", "=", booking.booking_id)
      .execute();
    await enqueueBooking(trx, deps, job.provider_id, booking, "unassign");
    await recordSteps(trx, [
      {
        traceId: booking.trace_id,
        step: "booking",
        verdict: "withdrawal requested",
        providerId: job.provider_id,
        shiftId: job.shift_id,
        jobId: job.job_id,
      },
    ]);
    return booking;
  });
}

/**
 * The booking was withdrawn before the provider confirmed it: nobody is looked up, created or assigned any more. The answer to an earlier
 * try may have got lost, and then the seat is free once the provider has taken the candidate off.
 */
export async function releaseWithdrawn(
  deps: Deps,
  of: BookingCase,
  { signal, attempt }: { signal: AbortSignal; attempt: number },
): Promise<TaskEnd> {
  const end: TaskEnd = attempt === 1 ? { end: "done" } : await takeOffAgain(deps, of, signal);
  if (end.end !== "done") return end;
  return {
    end: "done",
    write: async (trx) => {
      await lockJob(trx, of.job.job_id);
      await end.write?.(trx);
      await moveBooking(trx, deps, of, { status: "released", reason: "withdrawn" });
    },
  };
}
