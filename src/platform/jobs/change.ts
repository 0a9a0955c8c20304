import type { JobChange } from "../../../generated/operations/types.ts";
import { jobStatusText } from "../../contract/operator-text.ts";
import { problem } from "../../contract/problem.ts";
import { LONGEST_SHIFT_MS } from "../../contract/shift.ts";
import { readTimestamp } from "../../contract/timestamp.ts";
import { changesOf } from "../access/audit.ts";
import type { Job, ShiftChange } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { withdrawOffers } from "../notifications/offers.ts";
import { recordSteps, type Trx, transact } from "../transaction.ts";
import { markDue } from "../work/rows.ts";
import { checkNotStarted, isBeingCancelled, lockJob, placeOf, shiftOf } from "./job.ts";

interface Values {
  startTime: Date;
  endTime: Date;
  positions: number;
}

type Named = Partial<Values>;

/**
 * Requests a change of times or positions: records it and makes the shift due, in one transaction. Decision: the job changes only once the provider
 * confirms, because times and positions belong to the provider.
 * @throws ProblemError validation_failed; job_not_found, job_not_open.
 */
export async function requestChange(deps: Deps, jobId: string, order: JobChange): Promise<ShiftChange> {
  const named = readOrder(order);
  return transact(deps, async (trx) => {
    const job = await lockJob(trx, jobId);
    await checkMayChange(trx, deps, job);
    const last = valuesOf((await lastPending(trx, job)) ?? job);
    const values = { ...last, ...named };
    checkTimes(values, named, deps.now());
    deps.audit?.note({ changes: changesOf(fieldsOf(last), fieldsOf(values)) });
    const change = await insertChange(trx, deps, job, values, named);
    markDue(trx, deps, [shiftOf(job)]);
    noteRequest(trx, job, change, named);
    return change;
  });
}

type Times = Pick<Job, "startTime" | "endTime" | "positions">;

const valuesOf = ({ startTime, endTime, positions }: Times): Values => ({
  startTime,
  endTime,
  positions,
});

const fieldsOf = ({ startTime, endTime, positions }: Values) => ({
  startTime: startTime.toISOString(),
  endTime: endTime.toISOString(),
  positions,
});

/** Returns the requested values, with times in UTC. The schema accepts leap seconds and other times that `Date` cannot represent. */
function readOrder({ startTime, endTime, positions }: JobChange): Named {
  return {
    ...(startTime !== undefined && { startTime: readTime("/startTime", startTime) }),
    ...(endTime !== undefined && { endTime: readTime("/endTime", endTime) }),
    ...(positions !== undefined && { positions }),
  };
}

function readTime(pointer: string, text: string): Date {
  const time = readTimestamp(text, "UTC");
  if (time) return new Date(time.instant);
  throw invalid(pointer, "must be a time that exists");
}

function invalid(pointer: string, message: string) {
  return problem("validation_failed", {
    detail: "The job was not changed.",
    errors: [{ pointer, message }],
  });
}

async function checkMayChange(trx: Trx, { now }: Deps, job: Job): Promise<void> {
  if (job.status === "cancelled" || job.status === "expired") {
    throw problem("job_not_open", { detail: `The job is ${jobStatusText(job.status)}.` });
  }
  checkNotStarted(job, now());
  if (await isBeingCancelled(trx, job))
    throw problem("job_not_open", { detail: "The job is being cancelled." });
}

function checkTimes({ startTime, endTime }: Values, named: Named, now: Date): void {
  if (named.startTime !== undefined && named.startTime <= now)
    throw invalid("/startTime", "must be in the future");
  const isLong = endTime.getTime() - startTime.getTime() > LONGEST_SHIFT_MS;
  if (endTime > startTime && !isLong) return;
  const atMost = isLong ? "at most 36 hours " : "";
  throw named.endTime === undefined
    ? invalid("/startTime", `must be ${atMost}before the end`)
    : invalid("/endTime", `must be ${atMost}after the start`);
}

/** Returns the last pending change, on which the next one builds. */
function lastPending(trx: Trx, { providerId, jobId }: Job): Promise<ShiftChange | undefined> {
  return trx
    .selectFrom("shiftChanges")
    .selectAll()
    .where("providerId", "=", providerId)
    .where("jobId", "=", jobId)
    .where("status", "=", "pending")
    .orderBy("changeId", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** Inserts a change with its own traceId, which distinguishes its echo from that of an earlier change. */
function insertChange(
  trx: Trx,
  deps: Deps,
  { providerId, jobId }: Job,
  { startTime, endTime, positions }: Values,
  named: Named,
): Promise<ShiftChange> {
  const at = deps.now();
  return trx
    .insertInto("shiftChanges")
    .values({
      providerId,
      changeId: deps.newId(),
      jobId,
      startTime,
      endTime,
      positions,
      named: JSON.stringify(Object.keys(named)),
      status: "pending",
      traceId: deps.newTraceId(),
      createdAt: at,
      updatedAt: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Records the request in the trace of the change, and links that trace from the job's. */
function noteRequest(trx: Trx, job: Job, { traceId }: ShiftChange, named: Named): void {
  const step = { ...placeOf(job), step: "change", code: "change_requested" } as const;
  const asked = {
    ...(named.startTime && { startTime: named.startTime.toISOString() }),
    ...(named.endTime && { endTime: named.endTime.toISOString() }),
    ...(named.positions !== undefined && { positions: named.positions }),
  };
  recordSteps(trx, [
    { ...step, traceId: job.traceId, params: { traceId } },
    { ...step, traceId, params: asked },
  ]);
}

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
    const { providerId, shiftId, traceId } = job;
    const createdAt = deps.now();
    const expiresAt = new Date(createdAt.getTime() + ECHO_EXPECTED_MS);
    const operation = {
      operationId: deps.newId(),
      operation: "delete",
      providerId,
      shiftId,
      traceId,
    } as const;
    await trx
      .insertInto("pendingOperations")
      .values({ ...operation, createdAt, expiresAt })
      .execute();
    await withdrawOffers(trx, job, createdAt);
    markDue(trx, deps, [shiftOf(job)]);
    recordSteps(trx, [{ ...placeOf(job), traceId, step: "cancel", code: "cancellation_requested" }]);
    return job;
  });
}
