import type { ShiftOutcome } from "../../clients/provider/shifts.ts";
import type { EventStatus, Integration, StoredEvent } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { raiseIssue, resolveIssues, shiftSubject } from "../issues/issues.ts";
import { changesBetween, readJobState } from "../jobs/changes.ts";
import { closeJob } from "../jobs/close.ts";
import { syncShift } from "../jobs/sync.ts";
import { later } from "../queue/later.ts";
import type { TaskEnd, Trx } from "../queue/task.ts";
import { recordSteps } from "../traces/trace.ts";
import { endEvent, endTogether, fetchStep } from "./end.ts";
import { enqueueEvent } from "./enqueue.ts";
import { forgetReconciliation, isReconciliation } from "./reconciliation.ts";

/** What is known once the provider was asked. */
export interface Reading {
  event: StoredEvent;
  integration: Integration;
  outcome: ShiftOutcome;
  /** Ids of events that the fetch answers too. */
  together: string[];
  /** Of the job, from before the provider was asked (`syncShift`). */
  version: number | undefined;
  /** Of the fetch. Milliseconds. */
  ms: number;
  attempt: number;
}

/** What is to be done, once the provider was asked. It writes nothing but in the `write` of its answer: the preview relies on that. */
export async function judge(deps: Deps, reading: Reading): Promise<TaskEnd> {
  const { outcome, event } = reading;
  switch (outcome.kind) {
    case "shift":
      return { end: "done", write: (trx) => takeShift(trx, deps, reading, outcome) };
    case "absent":
      return takeAbsence(deps, reading, outcome.final);
    case "unusable": {
      const { fault, pointer } = outcome.unusable;
      const detail = `The shift cannot be a job: ${fault} at ${pointer}.`;
      return { end: "done", write: (trx) => takeFault(trx, deps, reading, "shift_unusable", detail) };
    }
    case "refused": {
      const detail = `GET of shift ${event.shift_id} was answered with status ${outcome.status}.`;
      return { end: "done", write: (trx) => takeFault(trx, deps, reading, "provider_refused", detail) };
    }
    case "unavailable": {
      const verdict = `will be tried again: ${outcome.reason}`;
      return later(outcome, (trx) => noteTry(trx, reading, verdict));
    }
  }
}

/** What a shift that could be read settles; a deletion that was not confirmed is taken back by the provider's next event. */
const SETTLED = [
  "shift_unusable",
  "provider_refused",
  "provider_gave_no_answer",
  "delete_not_confirmed",
] as const;

async function takeShift(
  trx: Trx,
  deps: Deps,
  reading: Reading,
  { shift }: Extract<ShiftOutcome, { kind: "shift" }>,
): Promise<void> {
  const { event, integration, ms } = reading;
  await recordSteps(trx, [fetchStep(event, `shift read (variant ${shift.variant})`, ms)]);
  if (event.event === "shift.delete" && !shift.cancelled) {
    const detail =
      "shift.delete came, but the provider still shows the shift as open; nothing was cancelled.";
    return takeFault(trx, deps, reading, "delete_not_confirmed", detail, "ignored");
  }
  const before = isReconciliation(event) ? await readJobState(trx, event) : undefined;
  const verdict = await syncShift(trx, deps, {
    integration,
    shift: { ...shift, id: event.shift_id },
    traceId: event.trace_id,
    version: reading.version,
  });
  if (verdict === undefined) return readAnew(trx, deps, reading);
  const subject = shiftSubject(event.shift_id);
  await resolveIssues(trx, deps, { providerId: event.provider_id, subject, codes: SETTLED });
  if (before && changesBetween(before, await readJobState(trx, event)).length === 0)
    return forgetReconciliation(trx, event);
  await endEvent(trx, deps, event, { status: "processed", verdict, attempt: reading.attempt });
  await endTogether(trx, deps, event, reading.together);
}

/** The event is none the wiser. Nobody waited in vain: its task comes again at once. */
async function readAnew(trx: Trx, deps: Deps, { event, attempt }: Reading): Promise<void> {
  const verdict = "read again: a change of ours came between";
  const { event_id } = event;
  await trx
    .updateTable("events")
    .set({ attempts: attempt, verdict })
    .where("event_id", "=", event_id)
    .execute();
  await recordSteps(trx, [fetchStep(event, verdict)]);
  await enqueueEvent(trx, deps, event);
}

/** 410, a confirmed deletion and a tombstone count at once; after create and update a read replica may lag behind. */
async function takeAbsence(deps: Deps, reading: Reading, final: boolean): Promise<TaskEnd> {
  const { event, ms } = reading;
  const waitMs = deps.timing.absenceRetriesMs[event.absences];
  const isCertain =
    final || event.event === "shift.delete" || waitMs === undefined || (await hasTombstone(deps, event));
  if (!isCertain) {
    const reason = "the provider does not know the shift yet";
    return {
      end: "retry",
      reason,
      afterMs: waitMs,
      write: (trx) => noteTry(trx, reading, reason, event.absences + 1),
    };
  }
  return {
    end: "done",
    write: async (trx) => {
      const { provider_id: providerId, shift_id: shiftId, trace_id: traceId } = event;
      await recordSteps(trx, [fetchStep(event, "the provider has no such shift", ms)]);
      const verdict = await closeJob(trx, deps, { providerId, shiftId, traceId, reason: "shift_deleted" });
      await endEvent(trx, deps, event, { status: "processed", verdict, attempt: reading.attempt });
    },
  };
}

async function hasTombstone({ database }: Deps, { provider_id, shift_id }: StoredEvent): Promise<boolean> {
  const row = await database.kysely
    .selectFrom("tombstones")
    .select("shift_id")
    .where("provider_id", "=", provider_id)
    .where("shift_id", "=", shift_id)
    .executeTakeFirst();
  return row !== undefined;
}

async function takeFault(
  trx: Trx,
  deps: Deps,
  { event, ms, attempt }: Reading,
  code: "shift_unusable" | "provider_refused" | "delete_not_confirmed",
  detail: string,
  status: EventStatus = "failed",
): Promise<void> {
  const { provider_id: providerId, shift_id, trace_id: traceId } = event;
  await raiseIssue(trx, deps, { code, providerId, subject: shiftSubject(shift_id), detail, traceId });
  if (code !== "delete_not_confirmed") await recordSteps(trx, [fetchStep(event, detail, ms)]);
  await endEvent(trx, deps, event, { status, verdict: detail, attempt });
}

async function noteTry(
  trx: Trx,
  { event, attempt, ms }: Reading,
  verdict: string,
  absences?: number,
): Promise<void> {
  await trx
    .updateTable("events")
    .set({ attempts: attempt, verdict, ...(absences !== undefined && { absences }) })
    .where("event_id", "=", event.event_id)
    .execute();
  await recordSteps(trx, [fetchStep(event, verdict, ms)]);
}
