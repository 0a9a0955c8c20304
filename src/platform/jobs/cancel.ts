import type { Job } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { withdrawOffers } from "../notifications/offers.ts";
import { recordSteps, transact } from "../transaction.ts";
import { markDue } from "../work/due.ts";
import { checkNotStarted, isBeingCancelled, lockJob, placeOf, shiftOf } from "./job.ts";

/** decisions, "shift.delete": how long an echo is expected. Milliseconds. */
const ECHO_EXPECTED_MS = 24 * 3_600_000;

/**
 * Requests the cancellation of a job (contract section 1, flow 4): records the pending operation and makes the shift due, in one transaction.
 * Decision: the job is cancelled only once the provider confirms, so that a refusal leaves both sides in agreement.
 * @throws ProblemError job_not_found, job_not_open.
 */
export async function requestCancellation(deps: Deps, jobId: string): Promise<Job> {
  return transact(deps, async (trx) => {
    const job = await lockJob(trx, jobId);
    if (job.status === "cancelled" || (await isBeingCancelled(trx, job))) return job;
    checkNotStarted(job, deps.now());
    const { provider_id, shift_id, trace_id } = job;
    const created_at = deps.now();
    const expires_at = new Date(created_at.getTime() + ECHO_EXPECTED_MS);
    const operation = {
      operation_id: deps.newId(),
      operation: "delete",
      provider_id,
      shift_id,
      trace_id,
    } as const;
    await trx
      .insertInto("pending_operations")
      .values({ ...operation, created_at, expires_at })
      .execute();
    await withdrawOffers(trx, job, created_at);
    markDue(trx, deps, [shiftOf(job)]);
    recordSteps(trx, [
      { ...placeOf(job), traceId: trace_id, step: "cancel", code: "cancellation_requested" },
    ]);
    return job;
  });
}
