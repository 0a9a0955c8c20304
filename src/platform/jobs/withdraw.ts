import { problem } from "../../contract/problem.ts";
import type { Booking } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream.ts";
import { recordSteps, transact } from "../transaction.ts";
import { markDue } from "../work/due.ts";
import type { Seat } from "./accept.ts";
import { checkNotStarted, lockJob, placeOf, seatsOf, shiftOf } from "./job.ts";

/**
 * Requests the withdrawal of a candidate. The booking is released once the provider confirms.
 * @throws ProblemError job_not_found, booking_not_found; job_not_open once the shift has started.
 */
export async function withdraw(deps: Deps, seat: Seat): Promise<Booking> {
  return transact(deps, async (trx) => {
    const job = await lockJob(trx, seat.jobId);
    const seats = await seatsOf(trx, job);
    const booking = seats.find(({ candidate_id }) => candidate_id === seat.candidateId);
    if (!booking) throw problem("booking_not_found", { detail: "The candidate holds no seat on this job." });
    checkNotStarted(job, deps.now());
    await trx
      .updateTable("bookings")
      .set({ withdrawn_at: deps.now() })
      .where("provider_id", "=", job.provider_id)
      .where("booking_id", "=", booking.booking_id)
      .execute();
    markDue(trx, deps, [shiftOf(job)]);
    const { trace_id: traceId } = booking;
    recordSteps(trx, [{ ...placeOf(job), traceId, step: "booking", code: "withdrawal_requested" }]);
    const { booking_id: bookingId, job_id: jobId, candidate_id: candidateId, status } = booking;
    publish(trx, { type: "booking", bookingId, jobId, candidateId, status });
    return booking;
  });
}
