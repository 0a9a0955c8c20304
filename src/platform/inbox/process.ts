import type { ShiftOutcome } from "../../clients/provider/shifts.ts";
import { takeEcho } from "../cancellations/echo.ts";
import type { EventStatus, Integration, StoredEvent } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { findIntegration } from "../integrations/integration.ts";
import { raiseIssue, resolveIssues, shiftSubject } from "../issues/issues.ts";
import { wasChangedSince } from "../jobs/change.ts";
import { changesBetween, readJobState } from "../jobs/changes.ts";
import { closeJob } from "../jobs/close.ts";
import { syncShift } from "../jobs/sync.ts";
import { later } from "../queue/later.ts";
import type { Task, TaskEnd, TaskKind, Trx } from "../queue/task.ts";
import { recordSteps } from "../traces/trace.ts";
import { EVENTS_QUEUE, type EventTask } from "./dispatch.ts";
import { endEvent, endTogether, fetchStep } from "./end.ts";
import { forgetReconciliation, isReconciliation } from "./reconciliation.ts";

/** Processes stored events: those of one shift one after the other, in the order in which they came. */
export function eventTasks(deps: Deps): TaskKind<EventTask> {
  return {
    name: EVENTS_QUEUE,
    concurrency: 50,
    groupLimit: 5,
    work: (task, signal) => processEvent(deps, task, signal),
    dead: async ({ data, attempt }, reason, trx) => {
      const event = await findEvent(trx, data.eventId);
      if (event) await bury(trx, deps, event, attempt, reason);
    },
  };
}

/** What is known once the provider was asked. */
export interface Reading {
  event: StoredEvent;
  integration: Integration;
  outcome: ShiftOutcome;
  /** Ids of events that the fetch answers too. */
  together: string[];
  /** Of the fetch. Milliseconds. */
  ms: number;
  attempt: number;
}

async function processEvent(
  deps: Deps,
  { data, attempt }: Task<EventTask>,
  signal: AbortSignal,
): Promise<TaskEnd> {
  const { kysely } = deps.database;
  const event = await findEvent(kysely, data.eventId);
  const integration = event && (await findIntegration(kysely, event.provider_id));
  // Read together with an earlier event of the shift, or ended before a crash.
  if (!event || !integration || event.status !== "queued") return { end: "done" };
  if (integration.state !== "active") return { end: "done", write: (trx) => putBack(trx, event) };
  if (mayBeEcho(event) && (await skipIfEcho(deps, event, attempt))) return { end: "done" };
  const together = isReconciliation(event) ? [] : await waitingTogether(deps, event);
  const begunAt = deps.now();
  const startedAt = performance.now();
  const outcome = await deps
    .clientFor(integration)
    .getShift(event.shift_id, { traceId: event.trace_id, signal });
  if (outcome.kind === "shift" && (await wasChangedSince(kysely, event, begunAt)))
    return later({ reason: "a change of ours overtook the reading", notAsked: true });
  return judge(deps, { event, integration, outcome, together, attempt, ms: performance.now() - startedAt });
}

/** Whoever replays a deletion wants it looked at; asking the provider shows whether it stands. */
const mayBeEcho = ({ event, replayed_at }: StoredEvent) => event === "shift.delete" && replayed_at === null;

/** The integration was suspended after the event was dispatched: it waits in the inbox for the next activation. */
async function putBack(trx: Trx, { event_id }: StoredEvent): Promise<void> {
  await trx
    .updateTable("events")
    .set({ dispatched_at: null })
    .where("event_id", "=", event_id)
    .where("status", "=", "queued")
    .execute();
}

export function findEvent(db: Deps["database"]["kysely"], eventId: string): Promise<StoredEvent | undefined> {
  return db.selectFrom("events").selectAll().where("event_id", "=", eventId).executeTakeFirst();
}

/** One transaction uses up the pending operation and ends the event: an echo is skipped once, crash or not. */
function skipIfEcho(deps: Deps, event: StoredEvent, attempt: number): Promise<boolean> {
  return deps.database.kysely.transaction().execute(async (trx) => {
    if (!(await takeEcho(trx, deps, event))) return false;
    await endEvent(trx, deps, event, {
      status: "skipped_echo",
      verdict: "skipped: echo of our DELETE",
      attempt,
    });
    return true;
  });
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
  });
  const subject = shiftSubject(event.shift_id);
  await resolveIssues(trx, deps, { providerId: event.provider_id, subject, codes: SETTLED });
  if (before && changesBetween(before, await readJobState(trx, event)).length === 0)
    return forgetReconciliation(trx, event);
  await endEvent(trx, deps, event, { status: "processed", verdict, attempt: reading.attempt });
  await endTogether(trx, deps, event, reading.together);
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

/** The dead letter: stored where an operator sees it; the shift's later events go on. */
async function bury(
  trx: Trx,
  deps: Deps,
  event: StoredEvent,
  attempt: number,
  reason: string,
): Promise<void> {
  const { provider_id: providerId, shift_id, trace_id: traceId } = event;
  const detail = `${event.event} of shift ${shift_id} was given up after ${attempt} tries; the last one: ${reason}.`;
  await raiseIssue(trx, deps, {
    code: "provider_gave_no_answer",
    providerId,
    subject: shiftSubject(shift_id),
    detail,
    traceId,
  });
  await endEvent(trx, deps, event, { status: "dead", verdict: detail, attempt });
}

/** Events that a fetch started now will answer too: the shift's other creates and updates that wait. */
async function waitingTogether({ database }: Deps, event: StoredEvent): Promise<string[]> {
  const rows = await database.kysely
    .selectFrom("events")
    .select("event_id")
    .where("provider_id", "=", event.provider_id)
    .where("shift_id", "=", event.shift_id)
    .where("status", "=", "queued")
    .where("event", "in", ["shift.create", "shift.update"])
    .where("event_id", "!=", event.event_id)
    .execute();
  return rows.map(({ event_id }) => event_id);
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
