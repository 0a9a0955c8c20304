import type { Kysely } from "kysely";
import { problem } from "../../contract/problem.ts";
import type { Integration, Job, PendingOperation, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { findIntegration } from "../integrations/integration.ts";
import { raiseIssue, shiftSubject } from "../issues/issues.ts";
import { closeJob } from "../jobs/close.ts";
import { lockJob, lockJobOf, refreshJob } from "../jobs/job.ts";
import { later } from "../queue/later.ts";
import type { TaskEnd, Trx } from "../queue/task.ts";
import { enqueueShiftWrite } from "../shift-writes/queue.ts";
import { recordSteps, type Step } from "../traces/trace.ts";
import { forgetDelete, isBeingCancelled, recordDelete } from "./pending.ts";

/**
 * The employer cancels a job (contract section 1, flow 4): records the pending operation and queues the DELETE, in one
 * transaction. Decision: the job is cancelled here once the provider confirmed, so that a refusal leaves both sides agreed.
 * @throws ProblemError job_not_found, job_not_open.
 */
export async function requestCancellation(deps: Deps, jobId: string): Promise<Job> {
  return deps.database.kysely.transaction().execute(async (trx) => {
    const job = await lockJob(trx, jobId);
    if (!job) throw problem("job_not_found", { detail: "There is no job with this jobId." });
    if (job.status === "cancelled" || (await isBeingCancelled(trx, job))) return job;
    // The status says so only once something else happens to the job.
    if (job.start_time <= deps.now()) throw problem("job_not_open", { detail: "The shift has started." });
    const { operation_id: operationId } = await recordDelete(trx, deps, job);
    await enqueueShiftWrite(trx, deps, job, { kind: "cancel", operationId });
    await recordSteps(trx, [stepOf(job, "cancellation requested")]);
    return job;
  });
}

/** Every try failed. */
export async function giveUpCancellation(
  trx: Trx,
  deps: Deps,
  operationId: string,
  reason: string,
): Promise<void> {
  const found = await findOperation(trx, operationId);
  if (found) await giveUp(trx, deps, found.operation, reason);
}

async function findOperation(
  db: Kysely<Schema>,
  operationId: string,
): Promise<{ operation: PendingOperation; integration: Integration } | undefined> {
  const operation = await db
    .selectFrom("pending_operations")
    .selectAll()
    .where("operation_id", "=", operationId)
    .executeTakeFirst();
  const integration = operation && (await findIntegration(db, operation.provider_id));
  return operation && integration ? { operation, integration } : undefined;
}

export async function carryOutCancellation(
  deps: Deps,
  operationId: string,
  signal: AbortSignal,
): Promise<TaskEnd> {
  const found = await findOperation(deps.database.kysely, operationId);
  if (!found) return { end: "done" };
  const { operation, integration } = found;
  const call = { traceId: operation.trace_id, signal };
  const startedAt = performance.now();
  const outcome = await deps.clientFor(integration).cancelShift(operation.shift_id, call);
  const durationMs = performance.now() - startedAt;
  switch (outcome.kind) {
    case "cancelled":
      return { end: "done", write: (trx) => confirm(trx, deps, operation, durationMs) };
    case "refused":
      return {
        end: "done",
        write: (trx) => giveUp(trx, deps, operation, `status ${outcome.status}`, durationMs),
      };
    case "unavailable": {
      const step = { ...stepOf(operation, `will be tried again: ${outcome.reason}`), durationMs };
      return later(outcome, (trx) => recordSteps(trx, [step]));
    }
  }
}

async function confirm(trx: Trx, deps: Deps, operation: PendingOperation, durationMs: number): Promise<void> {
  const { provider_id: providerId, shift_id: shiftId, trace_id: traceId } = operation;
  await recordSteps(trx, [{ ...stepOf(operation, "provider confirmed the cancellation"), durationMs }]);
  await closeJob(trx, deps, { providerId, shiftId, traceId, reason: "job_cancelled" });
}

async function giveUp(
  trx: Trx,
  deps: Deps,
  operation: PendingOperation,
  reason: string,
  durationMs?: number,
): Promise<void> {
  const { provider_id: providerId, shift_id, trace_id: traceId } = operation;
  const job = await lockJobOf(trx, providerId, shift_id);
  await forgetDelete(trx, operation);
  const detail = `DELETE of the shift did not succeed: ${reason}.`;
  await raiseIssue(trx, deps, {
    code: "cancellation_refused",
    providerId,
    subject: shiftSubject(shift_id),
    detail,
    traceId,
  });
  await recordSteps(trx, [
    {
      ...stepOf(operation, `provider kept the shift: ${reason}`),
      ...(durationMs !== undefined && { durationMs }),
    },
  ]);
  if (job) await refreshJob(trx, deps, job);
}

function stepOf({ provider_id, shift_id, trace_id }: Job | PendingOperation, verdict: string): Step {
  return { traceId: trace_id, step: "cancel", verdict, providerId: provider_id, shiftId: shift_id };
}
