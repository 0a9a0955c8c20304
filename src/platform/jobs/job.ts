import type { Kysely } from "kysely";
import { isBeingCancelled } from "../cancellations/pending.ts";
import type { Booking, Job, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { raiseIssue, resolveIssues, shiftSubject } from "../issues/issues.ts";
import { offerJob } from "../matching/match.ts";
import type { Trx } from "../queue/task.ts";
import { jobStatus } from "./status.ts";

/**
 * Locks the job until the transaction ends: everything that changes a job or its bookings goes through this lock. Take it before
 * the rows of candidates and issues, so that two transactions never wait for each other.
 */
export async function lockJob(trx: Trx, jobId: string): Promise<Job | undefined> {
  return trx.selectFrom("jobs").selectAll().where("job_id", "=", jobId).forUpdate().executeTakeFirst();
}

/** The same lock, for those who know the shift. */
export async function lockJobOf(trx: Trx, providerId: string, shiftId: string): Promise<Job | undefined> {
  return trx
    .selectFrom("jobs")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("shift_id", "=", shiftId)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * How many answers of the provider the job of a shift holds; undefined without a job. Read before the provider is asked, it tells under
 * the lock whether an answer that was asked for at the same time came first: clocks of two processes could not.
 */
export async function versionOf(
  db: Kysely<Schema>,
  { provider_id, shift_id }: Pick<Job, "provider_id" | "shift_id">,
): Promise<number | undefined> {
  const job = await db
    .selectFrom("jobs")
    .select("version")
    .where("provider_id", "=", provider_id)
    .where("shift_id", "=", shift_id)
    .executeTakeFirst();
  return job?.version;
}

/** Bookings that hold a seat. */
export async function liveBookings(trx: Trx, jobId: string): Promise<Booking[]> {
  return trx
    .selectFrom("bookings")
    .selectAll()
    .where("job_id", "=", jobId)
    .where("status", "in", ["pending", "confirmed"])
    .orderBy("booking_id")
    .execute();
}

/** Brings the status of a locked job up to date with its facts, and offers it when there are free seats. */
export async function refreshJob(trx: Trx, deps: Deps, job: Job): Promise<void> {
  const after = await updateStatus(trx, deps, job);
  await offerIfOpen(trx, deps, after, { wasOpen: job.status === "open" });
}

/** Brings the status of a locked job up to date with its facts. */
export async function updateStatus(trx: Trx, deps: Deps, job: Job): Promise<Job> {
  const booked = (await liveBookings(trx, job.job_id)).length;
  const isMapped = job.workplace_id !== null && job.competence_id !== null;
  const facts = {
    isCancelled: job.status === "cancelled",
    isMapped,
    startTime: job.start_time,
    positions: job.positions,
    booked,
  };
  const status = jobStatus(facts, deps.now());
  const overfilled = status !== "cancelled" && booked > job.positions;
  if (status !== job.status || overfilled !== job.overfilled) {
    await trx
      .updateTable("jobs")
      .set({ status, overfilled, updated_at: deps.now() })
      .where("job_id", "=", job.job_id)
      .execute();
  }
  const updated = { ...job, status, overfilled };
  if (overfilled !== job.overfilled) await tellOfOverfill(trx, deps, updated, booked);
  return updated;
}

/** A job that is being cancelled is offered to nobody; should the provider refuse, it is refreshed then. */
export async function offerIfOpen(
  trx: Trx,
  deps: Deps,
  job: Job,
  { wasOpen }: { wasOpen: boolean },
): Promise<void> {
  if (job.status !== "open" || (await isBeingCancelled(trx, job))) return;
  await offerJob(trx, deps, job, { isNewlyOpen: !wasOpen });
}

/** DECISIONS, "positions fall below the number assigned": bookings stay, a person decides. */
async function tellOfOverfill(trx: Trx, deps: Deps, job: Job, booked: number): Promise<void> {
  const code = "shift_overfilled";
  const about = { providerId: job.provider_id, subject: shiftSubject(job.shift_id) };
  if (!job.overfilled) return resolveIssues(trx, deps, { ...about, codes: [code] });
  const detail = `${booked} people are booked for ${job.positions} positions.`;
  await raiseIssue(trx, deps, { ...about, code, detail, traceId: job.trace_id });
}
