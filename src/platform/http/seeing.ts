import type { Kysely, Selectable } from "kysely";
import type { Handlers } from "../../../generated/operations/server.ts";
import type {
  Event,
  Issue,
  Notification,
  ProviderHealth,
  TraceStep,
} from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import { isShiftEvent } from "../../contract/shift-event.ts";
import type { Backlogs } from "../backlog/backlogs.ts";
import { type ProviderReading, readProviders } from "../backlog/provider-health.ts";
import type {
  Integration,
  IssuesTable,
  NotificationsTable,
  Schema,
  StoredEvent,
  TraceStepsTable,
} from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { payloadOf } from "../inbox/payload.ts";
import { previewReplay } from "../inbox/preview.ts";
import { replayEvent, replayEvents } from "../inbox/replay.ts";
import type { FieldUses } from "../integrations/field-uses.ts";
import { acceptDisappearance } from "../integrations/health.ts";
import { providerReport } from "../integrations/report.ts";
import { closeIssue, findIssue } from "../issues/issues.ts";
import type { Figures } from "../metrics/figures.ts";
import { readStatistics } from "../metrics/statistics.ts";
import { resendNotification } from "../notifications/resend.ts";
import { transact } from "../transaction.ts";
import { viewOfHealth } from "./onboarding.ts";
import { page } from "./pages.ts";
import { accepted, noContent, ok } from "./response.ts";

interface Parts {
  deps: Deps;
  figures: Pick<Figures, "flush">;
  fieldUses: Pick<FieldUses, "flush">;
  backlogs: Pick<Backlogs, "all">;
}

const DEFAULT_MINUTES = 60;

/** What happened: events and their replay, traces, notifications, issues, and the figures of both sides. */
export function seeingHandlers({ deps, figures, fieldUses, backlogs }: Parts) {
  const { kysely } = deps.database;
  return {
    listEvents: async ({ query }) => {
      const { providerId: provider_id, shiftId: shift_id, traceId: trace_id, status } = query;
      const where = { provider_id, shift_id, trace_id, status };
      const events = kysely.selectFrom("all_events").selectAll();
      return ok(await page(events, query, { id: "event_id", where }, viewOfEvent));
    },
    getEvent: async ({ path }) => {
      const row = await kysely
        .selectFrom("all_events")
        .selectAll()
        .where("event_id", "=", path.eventId)
        .executeTakeFirst();
      if (!row) throw problem("event_not_found", { detail: "There is no event with this eventId." });
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
    listNotifications: async ({ query }) => {
      const where = { candidate_id: query.candidateId, job_id: query.jobId };
      const all = kysely.selectFrom("notifications").selectAll();
      return ok(await page(all, query, { id: "notification_id", where }, viewOfNotification));
    },
    resendNotification: async ({ path }) =>
      accepted(viewOfNotification(await resendNotification(deps, path.notificationId))),
    listProviderHealth: async ({ query }) => {
      const all = kysely.selectFrom("integrations").selectAll();
      const { items, ...rest } = await page(all, query, { id: "provider_id", ascending: true }, (row) => row);
      await figures.flush();
      const ids = items.map(({ provider_id }) => provider_id);
      const readings = await readProviders(deps.database, backlogs, ids, deps.now());
      return ok({
        items: items.flatMap((row) => viewOfProvider(row, readings.get(row.provider_id))),
        ...rest,
      });
    },
    listIssues: async ({ query }) => {
      const where = { provider_id: query.providerId };
      const open = kysely.selectFrom("issues").selectAll().where("resolved_at", "is", null);
      return ok(await page(open, query, { id: "issue_id", where }, viewOfIssue));
    },
    resolveIssue: async ({ path }) => {
      await resolveIssue(deps, path.issueId);
      return noContent;
    },
    // Counts of this process are written before they are read; those of other processes follow within seconds.
    getStatistics: async ({ query: { minutes = DEFAULT_MINUTES } }) => {
      await figures.flush();
      return ok(await readStatistics(deps, minutes));
    },
    getProviderReport: async ({ path }) => {
      await fieldUses.flush();
      return ok(await providerReport(deps, path.providerId));
    },
  } satisfies Partial<Handlers<undefined>>;
}

function viewOfProvider(row: Integration, reading: ProviderReading | undefined): ProviderHealth[] {
  if (!reading) return [];
  return [{ providerId: row.provider_id, state: row.state, health: viewOfHealth(row), ...reading }];
}

/** @throws ProblemError issue_not_found */
async function resolveIssue(deps: Deps, issueId: string): Promise<void> {
  const issue = await findIssue(deps.database.kysely, issueId);
  if (!issue) throw problem("issue_not_found", { detail: "There is no issue with this issueId." });
  const { provider_id, code } = issue;
  await transact(deps, async (trx) => {
    deps.audit?.note({ subjects: { providerId: provider_id }, changes: [{ field: "code", before: code }] });
    if (code === "mass_disappearance") await acceptDisappearance(trx, deps, provider_id);
    await closeIssue(trx, deps, issue);
  });
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
  };
}

export function viewOfNotification(row: Selectable<NotificationsTable>): Notification {
  return {
    notificationId: row.notification_id,
    candidateId: row.candidate_id,
    jobId: row.job_id,
    kind: row.kind,
    content: row.content,
    traceId: row.trace_id,
    createdAt: row.created_at.toISOString(),
    ...(row.channel !== null && { channel: row.channel }),
    ...(row.delivered_at !== null && { deliveredAt: row.delivered_at.toISOString() }),
    ...(row.delivery_error !== null && {
      deliveryError: row.delivery_error,
      deliveryParams: row.delivery_params,
    }),
    ...(row.withdrawn_at !== null && { withdrawnAt: row.withdrawn_at.toISOString() }),
  };
}

export function viewOfIssue(row: Selectable<IssuesTable>): Issue {
  return {
    issueId: row.issue_id,
    code: row.code,
    subject: row.subject,
    params: row.params,
    count: row.count,
    providerId: row.provider_id,
    firstAt: row.first_at.toISOString(),
    lastAt: row.last_at.toISOString(),
    ...(row.trace_id !== null && { traceId: row.trace_id }),
  };
}
