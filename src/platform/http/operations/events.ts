import type { Kysely, Selectable } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type { Event, RejectedWebhook, TraceStep } from "../../../../generated/operations/types.ts";
import { problem } from "../../../contract/problem.ts";
import { isShiftEvent } from "../../../contract/shift-event.ts";
import type { Schema, StoredEvent, TraceStepsTable } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { payloadOf } from "../../inbox/payload.ts";
import { previewReplay } from "../../inbox/preview.ts";
import { NO_ORGANISATION, type RejectedWebhooks } from "../../inbox/rejected-webhooks.ts";
import { replayEvent, replayEvents, unknownEvent } from "../../inbox/replay.ts";
import { page } from "../page.ts";
import { accepted, ok } from "../response.ts";

/** Events, their replay, and traces. */
export function eventHandlers(deps: Deps, rejections: Pick<RejectedWebhooks, "flush">) {
  const { kysely } = deps.database;
  return {
    listEvents: async ({ query }) => {
      const { providerId: provider_id, shiftId: shift_id, traceId: trace_id, status } = query;
      const where = { provider_id, shift_id, trace_id, status };
      const isOfShift = shift_id !== undefined && provider_id === undefined;
      const events = kysely.selectFrom(isOfShift ? "events_of_shifts" : "all_events").selectAll();
      return ok(await page(events, query, { id: "event_id", where }, viewOfEvent));
    },
    listRejectedWebhooks: async ({ query }) => {
      await rejections.flush();
      const rows = kysely.selectFrom("rejected_webhooks").selectAll();
      const where = { provider_id: query.providerId };
      return ok(await page(rows, query, { id: "rejection_id", where }, viewOfRejection));
    },
    getEvent: async ({ path }) => {
      const row = await kysely
        .selectFrom("all_events")
        .selectAll()
        .where("event_id", "=", path.eventId)
        .executeTakeFirstOrThrow(unknownEvent);
      return ok({ ...viewOfEvent(row), payload: payloadOf(row) });
    },
    replayEvent: async ({ path }) => accepted({ queued: await replayEvent(deps, path.eventId) }),
    replayEvents: async ({ body: { providerId, since } }) =>
      accepted({ queued: await replayEvents(deps, { providerId, since: new Date(since) }) }),
    previewReplay: async ({ path }) => ok(await previewReplay(deps, path.eventId)),
    getTrace: async ({ path: { traceId } }) => {
      const steps = await stepsOf(kysely, traceId);
      if (steps.length === 0) throw problem("trace_not_found", { detail: "No trace has this traceId." });
      return ok({ traceId, steps });
    },
  } satisfies Partial<Handlers<undefined>>;
}

async function stepsOf(kysely: Kysely<Schema>, traceId: string): Promise<TraceStep[]> {
  const events = await kysely.selectFrom("all_events").selectAll().where("trace_id", "=", traceId).execute();
  const rows = await kysely
    .selectFrom("trace_steps")
    .selectAll()
    .where("trace_id", "=", traceId)
    .orderBy("step_id")
    .execute();
  const steps = [...events.map(webhookStep), ...rows.map(viewOfStep)];
  // The sort is stable: steps of one transaction share their time and stay in the order of writing.
  return steps.sort((left, right) => Date.parse(left.at) - Date.parse(right.at));
}

function viewOfRejection(row: Selectable<Schema["rejected_webhooks"]>): RejectedWebhook {
  return {
    rejectionId: row.rejection_id,
    ...(row.provider_id !== NO_ORGANISATION && { providerId: row.provider_id }),
    hour: row.hour.toISOString(),
    code: row.code,
    pointer: row.pointer,
    count: row.count,
    lastAt: row.last_at.toISOString(),
  };
}

/** Masked as the payload is. */
export function viewOfEvent(row: StoredEvent): Event {
  const { event, content } = payloadOf(row);
  return {
    eventId: row.event_id,
    event,
    providerId: row.provider_id,
    shiftId: content.shiftId,
    traceId: row.trace_id,
    status: row.status,
    attempts: row.attempts,
    receivedAt: row.received_at.toISOString(),
    ...(row.verdict !== null && { verdict: row.verdict }),
    ...(row.processed_at !== null && { processedAt: row.processed_at.toISOString() }),
  };
}

/** The first step of a trace is the stored event itself. */
function webhookStep(row: StoredEvent): TraceStep {
  const { provider_id, received_at, status } = row;
  const { event, content } = payloadOf(row);
  const isUnknown = status === "ignored" && !isShiftEvent(row.event);
  return {
    at: received_at.toISOString(),
    step: "webhook",
    verdict: { code: isUnknown ? "stored_unknown_event" : "stored", params: { event } },
    providerId: provider_id,
    shiftId: content.shiftId,
  };
}

function viewOfStep(row: Selectable<TraceStepsTable>): TraceStep {
  return {
    at: row.at.toISOString(),
    step: row.step,
    verdict: { code: row.code, params: row.params },
    ...(row.duration_ms !== null && { durationMs: row.duration_ms }),
    providerId: row.provider_id,
    ...(row.shift_id !== null && { shiftId: row.shift_id }),
    ...(row.job_id !== null && { jobId: row.job_id }),
    ...(row.operator !== null && { operator: row.operator }),
  };
}
