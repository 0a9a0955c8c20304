import { isBeingCancelled } from "../cancellations/pending.ts";
import type { Job } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { isActive } from "../integrations/integration.ts";
import { type News, notify } from "../notifications/notify.ts";
import type { Trx } from "../queue/task.ts";
import { recordSteps } from "../traces/trace.ts";

/**
 * Offers an open job to everybody who has the competence, is free at that time, and was not offered it before.
 * A suspended integration's jobs are not offered; activating it again catches up.
 * Free means: no pending or confirmed booking overlaps; one that ends when the other starts does not.
 */
export async function offerJob(
  trx: Trx,
  deps: Deps,
  job: Job,
  { isNewlyOpen }: { isNewlyOpen: boolean },
): Promise<void> {
  if (!(await isActive(trx, job.provider_id))) return;
  const candidateIds = await whoIsFree(trx, job);
  const told = await notify(trx, deps, candidateIds, offerOf(job));
  // A story tells of a search that found nobody new only when the job has just opened.
  if (told === 0 && !isNewlyOpen) return;
  await recordSteps(trx, [
    { ...placeOf(job), step: "match", verdict: found(candidateIds.length, told) },
    ...(told > 0 ? [{ ...placeOf(job), step: "notification", verdict: `offered to ${told}` } as const] : []),
  ]);
}

/** Offers somebody new, who is booked nowhere yet, the open jobs that ask for what they can do; the soonest first. */
export async function offerOpenJobs(
  trx: Trx,
  deps: Deps,
  candidateId: string,
  competenceIds: readonly string[],
): Promise<void> {
  if (competenceIds.length === 0) return;
  const open = await trx
    .selectFrom("jobs")
    .innerJoin("integrations", "integrations.provider_id", "jobs.provider_id")
    .selectAll("jobs")
    .where("jobs.competence_id", "in", competenceIds)
    .where("jobs.status", "=", "open")
    .where("jobs.start_time", ">", deps.now())
    .where("integrations.state", "=", "active")
    .orderBy("jobs.start_time")
    .execute();
  for (const job of open) {
    if (await isBeingCancelled(trx, job)) continue;
    await notify(trx, deps, [candidateId], offerOf(job));
    await recordSteps(trx, [
      { ...placeOf(job), step: "notification", verdict: "offered to 1 who is new to the platform" },
    ]);
  }
}

function offerOf(job: Job): News {
  const content = {
    startTime: job.start_time,
    endTime: job.end_time,
    outletName: job.outlet_name,
    roleName: job.role_name,
  };
  return { kind: "job_offered", jobId: job.job_id, changeKey: "offer", content, traceId: job.trace_id };
}

const placeOf = (job: Job) => ({
  traceId: job.trace_id,
  providerId: job.provider_id,
  shiftId: job.shift_id,
  jobId: job.job_id,
});

function found(free: number, told: number): string {
  const known = free - told;
  return `${free} free with the competence${known > 0 ? `, ${known} of them offered it before` : ""}`;
}

async function whoIsFree(trx: Trx, job: Job): Promise<string[]> {
  if (job.competence_id === null) return [];
  const rows = await trx
    .selectFrom("candidate_competences as able")
    .select("able.candidate_id")
    .where("able.competence_id", "=", job.competence_id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("bookings")
            .innerJoin("jobs", "jobs.job_id", "bookings.job_id")
            .select("bookings.booking_id")
            .whereRef("bookings.candidate_id", "=", "able.candidate_id")
            .where("bookings.status", "in", ["pending", "confirmed"])
            .where("jobs.start_time", "<", job.end_time)
            .where("jobs.end_time", ">", job.start_time),
        ),
      ),
    )
    .orderBy("able.candidate_id")
    .execute();
  return rows.map(({ candidate_id }) => candidate_id);
}
