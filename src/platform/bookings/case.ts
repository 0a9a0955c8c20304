import { type Kysely, sql } from "kysely";
import type { Booking, Integration, Job, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { findIntegration } from "../integrations/integration.ts";
import { bookingSubject } from "../issues/issues.ts";
import { bookingTopic } from "../jobs/close.ts";
import { lockJob, refreshJob } from "../jobs/job.ts";
import { notify } from "../notifications/notify.ts";
import type { Trx } from "../queue/task.ts";
import type { Step } from "../traces/trace.ts";

/** What the tasks of a booking work with. */
export interface BookingCase {
  booking: Booking;
  job: Job;
  integration: Integration;
}

export async function findCase(db: Kysely<Schema>, bookingId: string): Promise<BookingCase | undefined> {
  const booking = await db
    .selectFrom("bookings")
    .selectAll()
    .where("booking_id", "=", bookingId)
    .executeTakeFirst();
  if (!booking) return undefined;
  const job = await db
    .selectFrom("jobs")
    .selectAll()
    .where("job_id", "=", booking.job_id)
    .executeTakeFirstOrThrow();
  const integration = await findIntegration(db, job.provider_id);
  return integration && { booking, job, integration };
}

/** What an issue about a booking is about. */
export const aboutOf = ({ job, booking }: BookingCase) => ({
  providerId: job.provider_id,
  subject: bookingSubject(job.shift_id, booking.candidate_id),
});

/** Where the story of a booking stands in its trace. */
export function stepOf(
  { booking, job }: BookingCase,
  step: Step["step"],
  verdict: string,
  durationMs?: number,
): Step {
  return {
    traceId: booking.trace_id,
    step,
    verdict,
    providerId: job.provider_id,
    shiftId: job.shift_id,
    jobId: job.job_id,
    ...(durationMs !== undefined && { durationMs }),
  };
}

/** What becomes of a booking that holds a seat. */
export type BookingEnd =
  | { status: "confirmed"; providerCandidateId: string }
  | { status: "released" | "failed"; reason: string };

/** Moves a live booking on and tells everybody concerned. Answers false when it had lost its seat in the meantime. */
export async function moveBooking(
  trx: Trx,
  deps: Deps,
  { booking }: BookingCase,
  end: BookingEnd,
): Promise<boolean> {
  const job = await lockJob(trx, booking.job_id);
  const moved = await trx
    .updateTable("bookings")
    .set({
      status: end.status,
      reason: end.status === "confirmed" ? null : end.reason,
      updated_at: deps.now(),
      ...(end.status === "confirmed" && { provider_candidate_id: end.providerCandidateId }),
    })
    .where("booking_id", "=", booking.booking_id)
    .where("status", "in", ["pending", "confirmed"])
    .returning(["booking_id", "withdrawn_at"])
    .executeTakeFirst();
  if (!job || !moved) return false;
  const isUnwanted = end.status === "confirmed" && moved.withdrawn_at !== null;
  if (!isUnwanted) await tellCandidate(trx, deps, booking, job, end);
  await refreshJob(trx, deps, job);
  await deps.signals.emit(trx, bookingTopic(booking.booking_id));
  return true;
}

/** Told once of each end. */
export async function tellCandidate(
  trx: Trx,
  deps: Deps,
  booking: Booking,
  job: Job,
  end: Pick<BookingEnd, "status"> & { reason?: string },
): Promise<void> {
  const isConfirmed = end.status === "confirmed";
  await notify(trx, deps, [booking.candidate_id], {
    kind: isConfirmed ? "booking_confirmed" : "booking_released",
    jobId: booking.job_id,
    changeKey: booking.booking_id,
    content: {
      startTime: job.start_time,
      endTime: job.end_time,
      outletName: job.outlet_name,
      roleName: job.role_name,
      ...(!isConfirmed && { reason: end.reason }),
    },
    traceId: booking.trace_id,
  });
}

/** Remembers who the person is at the provider, which knows them now: what only a hire needs is dropped. */
export async function rememberCandidate(
  trx: Trx,
  { booking, job }: BookingCase,
  providerCandidateId: string,
): Promise<void> {
  // Erased while the provider was asked: an erasure that is under way is waited for.
  const person = await trx
    .selectFrom("candidates")
    .select("candidate_id")
    .where("candidate_id", "=", booking.candidate_id)
    .where("erased_at", "is", null)
    .forKeyShare()
    .executeTakeFirst();
  if (!person) return;
  await trx
    .insertInto("provider_candidates")
    .values({
      provider_id: job.provider_id,
      candidate_id: booking.candidate_id,
      provider_candidate_id: providerCandidateId,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["provider_id", "candidate_id"])
        .doUpdateSet({ provider_candidate_id: providerCandidateId }),
    )
    .execute();
  await sql`update candidates set hire = null where candidate_id = ${booking.candidate_id} and hire is not null`.execute(
    trx,
  );
}

/** Who the person is at the provider, as far as it was learnt. */
export async function providerCandidateOf(
  db: Kysely<Schema>,
  { booking, job }: BookingCase,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("provider_candidates")
    .select("provider_candidate_id")
    .where("provider_id", "=", job.provider_id)
    .where("candidate_id", "=", booking.candidate_id)
    .executeTakeFirst();
  return row?.provider_candidate_id;
}
