import type { JobChange } from "../../../generated/operations/types.ts";
import { jobStatusText } from "../../contract/operator-text.ts";
import { problem } from "../../contract/problem.ts";
import { readTimestamp } from "../../contract/timestamp.ts";
import { changesOf } from "../access/audit.ts";
import type { Job, ShiftChange } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { recordSteps, type Trx, transact } from "../transaction.ts";
import { markDue } from "../work/due.ts";
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

type Times = Pick<Job, "start_time" | "end_time" | "positions">;

const valuesOf = ({ start_time: startTime, end_time: endTime, positions }: Times): Values => ({
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
  if (endTime > startTime) return;
  throw named.endTime === undefined
    ? invalid("/startTime", "must be before the end")
    : invalid("/endTime", "must be after the start");
}

/** Returns the last pending change, on which the next one builds. */
function lastPending(trx: Trx, { provider_id, job_id }: Job): Promise<ShiftChange | undefined> {
  return trx
    .selectFrom("shift_changes")
    .selectAll()
    .where("provider_id", "=", provider_id)
    .where("job_id", "=", job_id)
    .where("status", "=", "pending")
    .orderBy("change_id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** Inserts a change with its own traceId, which distinguishes its echo from that of an earlier change. */
function insertChange(
  trx: Trx,
  deps: Deps,
  { provider_id, job_id }: Job,
  { startTime: start_time, endTime: end_time, positions }: Values,
  named: Named,
): Promise<ShiftChange> {
  const at = deps.now();
  return trx
    .insertInto("shift_changes")
    .values({
      provider_id,
      change_id: deps.newId(),
      job_id,
      start_time,
      end_time,
      positions,
      named: JSON.stringify(Object.keys(named)),
      status: "pending",
      trace_id: deps.newTraceId(),
      created_at: at,
      updated_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Records the request in the trace of the change, and links that trace from the job's. */
function noteRequest(trx: Trx, job: Job, { trace_id: traceId }: ShiftChange, named: Named): void {
  const step = { ...placeOf(job), step: "change", code: "change_requested" } as const;
  const asked = {
    ...(named.startTime && { startTime: named.startTime.toISOString() }),
    ...(named.endTime && { endTime: named.endTime.toISOString() }),
    ...(named.positions !== undefined && { positions: named.positions }),
  };
  recordSteps(trx, [
    { ...step, traceId: job.trace_id, params: { traceId } },
    { ...step, traceId, params: asked },
  ]);
}
