import type { Kysely, Selectable } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type { Event, RejectedWebhook, TraceStep } from "../../../../generated/operations/types.ts";
import { problem } from "../../../contract/problem.ts";
import { isShiftEvent } from "../../../contract/shift.ts";
import { view } from "../../db/names.ts";
import type { Schema, StoredEvent, TraceStepsTable } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { payloadOf } from "../../inbox/payload.ts";
import { NO_ORGANISATION, type RejectedWebhooks } from "../../inbox/rejected-webhooks.ts";
import { replayEvent, replayEvents, unknownEvent } from "../../inbox/replay.ts";
import { accepted, ok } from "../handlers.ts";
import { page } from "../page.ts";

/** Events, their replay, and traces. */
export function eventHandlers(deps: Deps, rejections: Pick<RejectedWebhooks, "flush">) {
  const { kysely } = deps.database;
  return {
    listEvents: async ({ query }) => {
      const { providerId, shiftId, traceId, status } = query;
      const where = { providerId, shiftId, traceId, status };
      const isOfShift = shiftId !== undefined && providerId === undefined;
      const events = kysely.selectFrom(isOfShift ? "eventsOfShifts" : "allEvents").selectAll();
      return ok(await page(events, query, { id: "eventId", where }, viewOfEvent));
    },
    listRejectedWebhooks: async ({ query }) => {
      await rejections.flush();
      const rows = kysely.selectFrom("rejectedWebhooks").selectAll();
      const where = { providerId: query.providerId };
      return ok(await page(rows, query, { id: "rejectionId", where }, viewOfRejection));
    },
    getEvent: async ({ path }) => {
      const row = await kysely
        .selectFrom("allEvents")
        .selectAll()
        .where("eventId", "=", path.eventId)
        .executeTakeFirstOrThrow(unknownEvent);
      return ok({ ...viewOfEvent(row), payload: payloadOf(row) });
    },
    replayEvent: async ({ path }) => accepted({ queued: await replayEvent(deps, path.eventId) }),
    replayEvents: async ({ body: { providerId, since } }) =>
      accepted({ queued: await replayEvents(deps, { providerId, since: new Date(since) }) }),
    getTrace: async ({ path: { traceId }, query }) => {
      const all = await stepsOf(kysely, traceId);
      const providerId = query.providerId ?? all[0]?.providerId;
      // A provider may send the traceId of another organisation: the steps of two are never one trace.
      const steps = all.filter((step) => step.providerId === providerId);
      if (steps.length === 0) throw problem("trace_not_found", { detail: "No trace has this traceId." });
      return ok({ traceId, steps });
    },
  } satisfies Partial<Handlers<undefined>>;
}

async function stepsOf(kysely: Kysely<Schema>, traceId: string): Promise<TraceStep[]> {
  const events = await kysely.selectFrom("allEvents").selectAll().where("traceId", "=", traceId).execute();
  const rows = await kysely
    .selectFrom("traceSteps")
    .selectAll()
    .where("traceId", "=", traceId)
    .orderBy("stepId")
    .execute();
  const steps = [...events.map(webhookStep), ...rows.map(viewOfStep)];
  // The sort is stable: steps of one transaction share their time and stay in the order of writing.
  return steps.sort((left, right) => Date.parse(left.at) - Date.parse(right.at));
}

const viewOfRejection = (row: Selectable<Schema["rejectedWebhooks"]>): RejectedWebhook => ({
  ...view(row, ["rejectionId", "hour", "code", "pointer", "count", "lastAt"]),
  ...(row.providerId !== NO_ORGANISATION && { providerId: row.providerId }),
});

/** Masked as the payload is. */
function viewOfEvent(row: StoredEvent): Event {
  const { event, content } = payloadOf(row);
  const known = ["eventId", "providerId", "traceId", "status", "attempts", "receivedAt"] as const;
  return { ...view(row, [...known, "verdict", "processedAt"]), event, shiftId: content.shiftId };
}

/** The first step of a trace is the stored event itself. */
function webhookStep(row: StoredEvent): TraceStep {
  const { providerId, receivedAt, status } = row;
  const { event, content } = payloadOf(row);
  const isUnknown = status === "ignored" && !isShiftEvent(row.event);
  return {
    at: receivedAt.toISOString(),
    step: "webhook",
    verdict: { code: isUnknown ? "stored_unknown_event" : "stored", params: { event } },
    providerId,
    shiftId: content.shiftId,
  };
}

const viewOfStep = (row: Selectable<TraceStepsTable>): TraceStep => ({
  ...view(row, ["at", "step", "durationMs", "providerId", "shiftId", "jobId", "operator"]),
  verdict: { code: row.code, params: row.params },
});
