import { isEchoExpected, takeEcho } from "../cancellations/echo.ts";
import type { StoredEvent } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { findIntegration } from "../integrations/integration.ts";
import { raiseIssue, shiftSubject } from "../issues/issues.ts";
import { versionOf } from "../jobs/job.ts";
import type { Task, TaskEnd, TaskKind, Trx } from "../queue/task.ts";
import { EVENTS_QUEUE, type EventTask } from "./dispatch.ts";
import { endEvent } from "./end.ts";
import { enqueueEvent } from "./enqueue.ts";
import { judge } from "./judge.ts";
import { isReconciliation } from "./reconciliation.ts";

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

async function processEvent(
  deps: Deps,
  { data, attempt }: Task<EventTask>,
  signal: AbortSignal,
): Promise<TaskEnd> {
  const { kysely } = deps.database;
  const event = await findEvent(kysely, data.eventId);
  const integration = event && (await findIntegration(kysely, event.provider_id));
  // Read together with an earlier event of the shift, or ended before a crash.
  if (!event || !integration) return { end: "done" };
  if (event.status !== "queued" || integration.state !== "active")
    return { end: "done", write: (trx) => putBack(trx, event) };
  if (mayBeEcho(event) && (await isEchoExpected(deps, event)))
    return { end: "done", write: (trx) => skipEcho(trx, deps, event, attempt) };
  const together = isReconciliation(event) ? [] : await waitingTogether(deps, event);
  const version = await versionOf(kysely, event);
  const startedAt = performance.now();
  const outcome = await deps
    .clientFor(integration)
    .getShift(event.shift_id, { traceId: event.trace_id, signal });
  const ms = performance.now() - startedAt;
  return judge(deps, { event, integration, outcome, together, version, attempt, ms });
}

/** Whoever replays a deletion wants it looked at; asking the provider shows whether it stands. */
const mayBeEcho = ({ event, replayed_at }: StoredEvent) => event === "shift.delete" && replayed_at === null;

/**
 * An event that waits although its task leaves is for the dispatcher: the integration was suspended after the event was dispatched, or
 * the event was queued again while this task still stood in the way of another.
 */
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

/** Uses up the pending operation and ends the event: an echo is skipped once, crash or not. */
async function skipEcho(trx: Trx, deps: Deps, event: StoredEvent, attempt: number): Promise<void> {
  // Our DELETE was refused in the meantime, or another event was its echo: this one has to be looked at.
  if (!(await takeEcho(trx, deps, event))) return enqueueEvent(trx, deps, event);
  const verdict = "skipped: echo of our DELETE";
  await endEvent(trx, deps, event, { status: "skipped_echo", verdict, attempt });
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
