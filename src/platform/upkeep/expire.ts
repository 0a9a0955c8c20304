import type { Deps } from "../deps.ts";
import { refreshJob } from "../jobs/job.ts";
import { recordSteps } from "../traces/trace.ts";

/** Jobs of one round, and of one transaction. */
const BATCH = 100;

/** Moves jobs whose shift has started to `expired`; answers how many. Jobs that another process has in hand are left to it. */
export async function expireJobs(deps: Deps): Promise<number> {
  return deps.database.kysely.transaction().execute(async (trx) => {
    const jobs = await trx
      .selectFrom("jobs")
      .selectAll()
      .where("status", "in", ["blocked_mapping", "open", "filled"])
      .where("start_time", "<=", deps.now())
      .orderBy("start_time")
      .limit(BATCH)
      .forUpdate()
      .skipLocked()
      .execute();
    for (const job of jobs) await refreshJob(trx, deps, job);
    const steps = jobs.map((job) => ({
      traceId: job.trace_id,
      step: "job" as const,
      verdict: `job expired: the shift has started, and the job was ${job.status}`,
      providerId: job.provider_id,
      shiftId: job.shift_id,
      jobId: job.job_id,
    }));
    await recordSteps(trx, steps);
    return jobs.length;
  });
}
