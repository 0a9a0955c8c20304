import type { JobChange } from "../../../generated/operations/types.ts";
import type { ShiftChange as ShiftValues } from "../../clients/provider/shifts.ts";
import { problem } from "../../contract/problem.ts";
import { readTimestamp } from "../../contract/timestamp.ts";
import { isBeingCancelled } from "../cancellations/pending.ts";
import type { Job, ShiftChange } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";
import { enqueueShiftWrite } from "../shift-writes/queue.ts";
import { recordSteps } from "../traces/trace.ts";
import { lockJob } from "./job.ts";

/**
 * The employer changes times or positions: records the change and queues the PUT, in one transaction. Decision: the job changes
 * here once the provider confirmed, because times and positions are the provider's.
 * @throws ProblemError validation_failed; job_not_found, job_not_open.
 */
export async function requestChange(deps: Deps, jobId: string, order: JobChange): Promise<ShiftChange> {
  const named = readOrder(order);
  return deps.database.kysely.transaction().execute(async (trx) => {
    const job = await lockJob(trx, jobId);
    if (!job) throw problem("job_not_found", { detail: "There is no job with this jobId." });
    await checkMayChange(trx, deps, job);
    const values = valuesAfter((await lastPending(trx, job)) ?? job, named);
    checkTimes(values, named, deps.now());
    const change = await record(trx, deps, job, values);
    await enqueueShiftWrite(trx, deps, job, { kind: "change", changeId: change.change_id, named });
    await tellStories(trx, job, change, named);
    return change;
  });
}

/** The values of a shift with what is named put in their place. */
export function valuesAfter(
  { start_time, end_time, positions }: Pick<Job, "start_time" | "end_time" | "positions">,
  named: JobChange,
): ShiftValues {
  return { startTime: start_time.toISOString(), endTime: end_time.toISOString(), positions, ...named };
}

export const isEndAfterStart = ({ startTime, endTime }: ShiftValues): boolean =>
  Date.parse(endTime) > Date.parse(startTime);

/** The signal that a change was confirmed or refused. */
export const changeTopic = (changeId: string): string => `change:${changeId}`;

/** Waits a little for what the provider says; a change that is still pending then is answered as such. */
export async function changeAfter(deps: Deps, { change_id }: ShiftChange): Promise<ShiftChange> {
  const deadline = performance.now() + deps.timing.answerWithinMs;
  while (true) {
    const leftMs = Math.max(0, deadline - performance.now());
    const { signal, cancel } = deps.signals.next(changeTopic(change_id), leftMs);
    const change = await deps.database.kysely
      .selectFrom("shift_changes")
      .selectAll()
      .where("change_id", "=", change_id)
      .executeTakeFirstOrThrow();
    if (change.status !== "pending" || leftMs === 0) {
      cancel();
      return change;
    }
    await signal;
  }
}

/** The same instants in UTC. The schema lets a leap second through, and whatever else `Date` does not read. */
function readOrder({ startTime, endTime, positions }: JobChange): JobChange {
  return {
    ...(startTime !== undefined && { startTime: readTime("/startTime", startTime) }),
    ...(endTime !== undefined && { endTime: readTime("/endTime", endTime) }),
    ...(positions !== undefined && { positions }),
  };
}

function readTime(pointer: string, text: string): string {
  const time = readTimestamp(text, "UTC");
  if (time) return time.instant;
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
    throw problem("job_not_open", { detail: `The job is ${job.status}.` });
  }
  // The status says so only once something else happens to the job.
  if (job.start_time <= now()) throw problem("job_not_open", { detail: "The shift has started." });
  if (await isBeingCancelled(trx, job))
    throw problem("job_not_open", { detail: "The job is being cancelled." });
}

function checkTimes(values: ShiftValues, named: JobChange, now: Date): void {
  if (named.startTime !== undefined && Date.parse(named.startTime) <= now.getTime()) {
    throw invalid("/startTime", "must be in the future");
  }
  if (isEndAfterStart(values)) return;
  throw named.endTime === undefined
    ? invalid("/startTime", `must be before the end, ${values.endTime}`)
    : invalid("/endTime", `must be after the start, ${values.startTime}`);
}

/** A change that waits for the provider is what the next one builds on. */
function lastPending(trx: Trx, { job_id }: Job): Promise<ShiftChange | undefined> {
  return trx
    .selectFrom("shift_changes")
    .selectAll()
    .where("job_id", "=", job_id)
    .where("status", "=", "pending")
    .orderBy("change_id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** Each change is a story of its own: by its traceId an echo is told from the echo of the change before. */
function record(trx: Trx, deps: Deps, { job_id }: Job, values: ShiftValues): Promise<ShiftChange> {
  const at = deps.now();
  return trx
    .insertInto("shift_changes")
    .values({
      change_id: deps.newId(),
      job_id,
      start_time: new Date(values.startTime),
      end_time: new Date(values.endTime),
      positions: values.positions,
      status: "pending",
      trace_id: deps.newTraceId(),
      created_at: at,
      updated_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The story of the job says where that of the change is. */
async function tellStories(trx: Trx, job: Job, change: ShiftChange, named: JobChange): Promise<void> {
  const { provider_id: providerId, shift_id: shiftId, job_id: jobId } = job;
  const step = { step: "change", verdict: "change requested", providerId, shiftId, jobId } as const;
  await recordSteps(trx, [
    { ...step, traceId: job.trace_id, detail: { traceId: change.trace_id } },
    { ...step, traceId: change.trace_id, detail: { ...named } },
  ]);
}
