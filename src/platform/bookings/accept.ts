import { problem } from "../../contract/problem.ts";
import { isBeingCancelled } from "../cancellations/pending.ts";
import type { Booking, Job } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { isActive } from "../integrations/integration.ts";
import { liveBookings, lockJob, refreshJob } from "../jobs/job.ts";
import type { Trx } from "../queue/task.ts";
import { recordSteps } from "../traces/trace.ts";
import { enqueueBooking } from "./queue.ts";

export interface Seat {
  jobId: string;
  candidateId: string;
}

/**
 * A candidate accepts a job: reserves the seat and queues the calls to the provider, in one transaction.
 * @throws ProblemError job_not_found, candidate_not_found; already_booked, job_filled, job_not_open, competence_missing, booking_overlaps.
 */
export async function accept(deps: Deps, seat: Seat): Promise<Booking> {
  return deps.database.kysely.transaction().execute(async (trx) => {
    const job = await lockJob(trx, seat.jobId);
    if (!job) throw problem("job_not_found", { detail: "There is no job with this jobId." });
    await lockCandidate(trx, seat.candidateId);
    const live = await liveBookings(trx, job.job_id);
    const before = live.find((booking) => booking.candidate_id === seat.candidateId);
    if (before?.withdrawn_at)
      throw problem("already_booked", {
        detail: "The candidate's withdrawal is under way: accept once it is over.",
      });
    if (before) return before;
    await checkMayBook(trx, deps, job, live.length, seat.candidateId);
    return reserve(trx, deps, job, seat.candidateId);
  });
}

/**
 * Two accepts of one person for two jobs at once take turns, so that the overlap is seen. No stronger lock: a notification to the
 * person holds a key share of this row, and two accepts that offer to each other's candidates would wait for each other.
 */
async function lockCandidate(trx: Trx, candidateId: string): Promise<void> {
  const candidate = await trx
    .selectFrom("candidates")
    .where("erased_at", "is", null)
    .select("candidate_id")
    .where("candidate_id", "=", candidateId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!candidate)
    throw problem("candidate_not_found", { detail: "There is no candidate with this candidateId." });
}

async function checkMayBook(
  trx: Trx,
  { now }: Deps,
  job: Job,
  booked: number,
  candidateId: string,
): Promise<void> {
  // The status says so only once something else happens to the job.
  if (job.start_time <= now()) throw problem("job_not_open", { detail: "The shift has started." });
  if (job.status === "filled" || (job.status === "open" && booked >= job.positions)) {
    throw problem("job_filled", { detail: `All ${job.positions} positions are taken.` });
  }
  if (job.status !== "open") throw problem("job_not_open", { detail: `The job is ${job.status}.` });
  if (!(await isActive(trx, job.provider_id)))
    throw problem("job_not_open", { detail: "The integration of the job's provider is suspended." });
  if (await isBeingCancelled(trx, job))
    throw problem("job_not_open", { detail: "The job is being cancelled." });
  if (!(await hasCompetence(trx, job, candidateId))) {
    throw problem("competence_missing", {
      detail: "The candidate does not have the competence that the job asks for.",
    });
  }
  if (await hasOverlap(trx, job, candidateId)) {
    throw problem("booking_overlaps", { detail: "The candidate is booked on another job at that time." });
  }
}

async function hasCompetence(trx: Trx, job: Job, candidateId: string): Promise<boolean> {
  const row = await trx
    .selectFrom("candidate_competences")
    .select("candidate_id")
    .where("candidate_id", "=", candidateId)
    .where("competence_id", "=", job.competence_id)
    .executeTakeFirst();
  return row !== undefined;
}

async function hasOverlap(trx: Trx, job: Job, candidateId: string): Promise<boolean> {
  const row = await trx
    .selectFrom("bookings")
    .innerJoin("jobs", "jobs.job_id", "bookings.job_id")
    .select("bookings.booking_id")
    .where("bookings.candidate_id", "=", candidateId)
    .where("bookings.status", "in", ["pending", "confirmed"])
    .where("jobs.start_time", "<", job.end_time)
    .where("jobs.end_time", ">", job.start_time)
    .executeTakeFirst();
  return row !== undefined;
}

async function reserve(trx: Trx, deps: Deps, job: Job, candidateId: string): Promise<Booking> {
  const at = deps.now();
  const booking = await trx
    .insertInto("bookings")
    .values({
      booking_id: deps.newId(),
      job_id: job.job_id,
      candidate_id: candidateId,
      status: "pending",
      trace_id: job.trace_id,
      created_at: at,
      updated_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await enqueueBooking(trx, deps, job.provider_id, booking, "assign");
  await recordSteps(trx, [
    {
      traceId: job.trace_id,
      step: "booking",
      verdict: "seat reserved",
      providerId: job.provider_id,
      shiftId: job.shift_id,
      jobId: job.job_id,
    },
  ]);
  await refreshJob(trx, deps, job);
  return booking;
}
