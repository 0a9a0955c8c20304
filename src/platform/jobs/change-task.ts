import type { Kysely } from "kysely";
import type { JobChange } from "../../../generated/operations/types.ts";
import type { Refused } from "../../clients/provider/answer.ts";
import type { ShiftOutcome, ShiftChange as ShiftValues } from "../../clients/provider/shifts.ts";
import type { Shift } from "../../contract/shift.ts";
import type { Integration, Job, Schema, ShiftChange } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { findIntegration } from "../integrations/integration.ts";
import { type IssueCode, raiseIssue } from "../issues/issues.ts";
import { later } from "../queue/later.ts";
import type { TaskEnd, Trx } from "../queue/task.ts";
import { enqueueShiftWrite } from "../shift-writes/queue.ts";
import { recordSteps, type Step } from "../traces/trace.ts";
import { changeTopic, isEndAfterStart, valuesAfter } from "./change.ts";
import { syncShift } from "./sync.ts";

interface ChangeCase {
  change: ShiftChange;
  job: Job;
  integration: Integration;
}

/** Puts the change to the provider. What was not named is what the job has by now, so that no other change is undone. */
export async function carryOutChange(
  deps: Deps,
  { changeId, named }: { changeId: string; named: JobChange },
  signal: AbortSignal,
): Promise<TaskEnd> {
  const of = await findCase(deps.database.kysely, changeId);
  if (of?.change.status !== "pending") return { end: "done" };
  // Only then the job has what this one has to keep.
  if (await isReadBackBefore(deps.database.kysely, of))
    return {
      end: "done",
      write: (trx) => enqueueShiftWrite(trx, deps, of.job, { kind: "change", changeId, named }),
    };
  const values = valuesAfter(of.job, named);
  if (of.job.status === "cancelled") return refusal(deps, of, "the job is cancelled");
  if (!isEndAfterStart(values)) return refusal(deps, of, "it would end before it starts");
  return put(deps, of, values, signal);
}

const READ_BACK = "the provider confirmed, and what the shift is now is being read";

/** A change that was asked for before this one is confirmed and not known yet; its task waits behind this one's. */
async function isReadBackBefore(db: Kysely<Schema>, { change, job }: ChangeCase): Promise<boolean> {
  const before = await db
    .selectFrom("shift_changes")
    .select("change_id")
    .where("job_id", "=", job.job_id)
    .where("change_id", "<", change.change_id)
    .where("status", "=", "pending")
    .where("reason", "=", READ_BACK)
    .executeTakeFirst();
  return before !== undefined;
}

/** The provider confirmed the change while the shift was being read: neither answer tells what the shift is now, so it is asked. */
export async function readBack(deps: Deps, changeId: string, signal: AbortSignal): Promise<TaskEnd> {
  const of = await findCase(deps.database.kysely, changeId);
  if (of?.change.status !== "pending") return { end: "done" };
  const call = { traceId: of.change.trace_id, signal };
  const startedAt = performance.now();
  const outcome = await deps.clientFor(of.integration).getShift(of.job.shift_id, call);
  return judge(deps, of, outcome, performance.now() - startedAt);
}

/** Every try failed. */
export async function giveUpChange(trx: Trx, deps: Deps, changeId: string, reason: string): Promise<void> {
  const of = await findCase(trx, changeId);
  if (of?.change.status !== "pending") return;
  await refuse(trx, deps, of, `every try failed, the last one: ${reason}`, "change_refused");
}

async function findCase(db: Kysely<Schema>, changeId: string): Promise<ChangeCase | undefined> {
  const change = await db
    .selectFrom("shift_changes")
    .selectAll()
    .where("change_id", "=", changeId)
    .executeTakeFirst();
  if (!change) return undefined;
  const job = await db
    .selectFrom("jobs")
    .selectAll()
    .where("job_id", "=", change.job_id)
    .executeTakeFirstOrThrow();
  const integration = await findIntegration(db, job.provider_id);
  return integration && { change, job, integration };
}

async function put(deps: Deps, of: ChangeCase, values: ShiftValues, signal: AbortSignal): Promise<TaskEnd> {
  const call = { traceId: of.change.trace_id, signal };
  const startedAt = performance.now();
  const outcome = await deps.clientFor(of.integration).updateShift(of.job.shift_id, values, call);
  return judge(deps, of, outcome, performance.now() - startedAt);
}

function judge(deps: Deps, of: ChangeCase, outcome: ShiftOutcome, ms: number): TaskEnd {
  switch (outcome.kind) {
    case "shift":
      return { end: "done", write: (trx) => confirm(trx, deps, of, outcome.shift, ms) };
    case "unusable": {
      const { fault, pointer } = outcome.unusable;
      return refusal(deps, of, `the shift cannot be a job then: ${fault} at ${pointer}`, "shift_unusable");
    }
    case "absent":
      if (outcome.final) return refusal(deps, of, "the shift is gone");
      return later({ reason: "the provider does not know the shift" }, (trx) =>
        recordSteps(trx, [stepOf(of, "will be tried again: the provider does not know the shift", ms)]),
      );
    case "refused":
      return refusal(deps, of, reasonOf(outcome), issueOf(outcome), ms);
    case "unavailable":
      return later(outcome, (trx) =>
        recordSteps(trx, [stepOf(of, `will be tried again: ${outcome.reason}`, ms)]),
      );
  }
}

const reasonOf = ({ status, code }: Refused) => `status ${status}${code === undefined ? "" : ` (${code})`}`;

/** DECISIONS, "PUT /shifts/{id} response": 409 and 422 are shown to the person; so is that there is no such shift. */
const issueOf = ({ status }: Refused): IssueCode | undefined =>
  [404, 409, 410, 422].includes(status) ? undefined : "provider_refused";

/** The job is synced from what the provider answered; the event that echoes it finds nothing to change. */
async function confirm(trx: Trx, deps: Deps, of: ChangeCase, shift: Shift, ms: number): Promise<void> {
  const { change, job, integration } = of;
  await recordSteps(trx, [stepOf(of, "provider confirmed the change", ms)]);
  const { trace_id: traceId, change_id: changeId } = change;
  const read = { integration, shift: { ...shift, id: job.shift_id }, traceId, version: job.version };
  if ((await syncShift(trx, deps, read)) === undefined) {
    await trx
      .updateTable("shift_changes")
      .set({ reason: READ_BACK })
      .where("change_id", "=", changeId)
      .execute();
    return enqueueShiftWrite(trx, deps, job, { kind: "read_back", changeId });
  }
  await settle(trx, deps, of, {
    status: "confirmed",
    reason: null,
    start_time: new Date(shift.startTime),
    end_time: new Date(shift.endTime),
    positions: shift.positions,
  });
  await trx
    .updateTable("issues")
    .set({ resolved_at: deps.now() })
    .where("provider_id", "=", job.provider_id)
    .where("code", "=", "change_refused")
    .where("subject", "=", subjectOf(job))
    .where("resolved_at", "is", null)
    .execute();
}

function refusal(deps: Deps, of: ChangeCase, reason: string, issue?: IssueCode, ms?: number): TaskEnd {
  return { end: "done", write: (trx) => refuse(trx, deps, of, reason, issue, ms) };
}

/** The job stays as it is. An issue tells of it when the person who asked has had an answer already. */
async function refuse(
  trx: Trx,
  deps: Deps,
  of: ChangeCase,
  reason: string,
  issue?: IssueCode,
  ms?: number,
): Promise<void> {
  const { change, job } = of;
  await recordSteps(trx, [stepOf(of, `the shift was not changed: ${reason}`, ms)]);
  const isAnswered = deps.now().getTime() - change.created_at.getTime() > deps.timing.answerWithinMs;
  const code = issue ?? (isAnswered ? "change_refused" : undefined);
  if (code !== undefined) {
    const about = { providerId: job.provider_id, subject: subjectOf(job), traceId: change.trace_id };
    await raiseIssue(trx, deps, { ...about, code, detail: `The shift was not changed: ${reason}.` });
  }
  await settle(trx, deps, of, { status: "refused", reason });
}

type Settled = Pick<ShiftChange, "status" | "reason"> & Partial<ShiftChange>;

async function settle(trx: Trx, deps: Deps, { change }: ChangeCase, settled: Settled): Promise<void> {
  await trx
    .updateTable("shift_changes")
    .set({ ...settled, updated_at: deps.now() })
    .where("change_id", "=", change.change_id)
    .execute();
  await deps.signals.emit(trx, changeTopic(change.change_id));
}

const subjectOf = ({ shift_id }: Job) => `shift ${shift_id}`;

function stepOf({ change, job }: ChangeCase, verdict: string, durationMs?: number): Step {
  return {
    traceId: change.trace_id,
    step: "change",
    verdict,
    providerId: job.provider_id,
    shiftId: job.shift_id,
    jobId: job.job_id,
    ...(durationMs !== undefined && { durationMs }),
  };
}
