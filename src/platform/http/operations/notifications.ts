import type { Selectable } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type { Notification } from "../../../../generated/operations/types.ts";
import type { NotificationsTable } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { readDeclines } from "../../notifications/declines.ts";
import { resendNotification } from "../../notifications/resend.ts";
import { type MailWait, readMailWaits } from "../../notifications/waits.ts";
import { page } from "../page.ts";
import { accepted, ok } from "../response.ts";

export function notificationHandlers(deps: Deps) {
  return {
    listNotifications: async ({ query }) => {
      const where = { candidate_id: query.candidateId, job_id: query.jobId };
      const { kysely } = deps.database;
      const all = kysely.selectFrom("notifications").selectAll();
      // An index begins with both.
      const ofJob = (jobId: string) =>
        all.where(
          "provider_id",
          "in",
          kysely.selectFrom("jobs").select("provider_id").where("job_id", "=", jobId),
        );
      const found = query.jobId === undefined ? all : ofJob(query.jobId);
      const { items, ...rest } = await page(found, query, { id: "notification_id", where }, (row) => row);
      const [waits, declines] = [await readMailWaits(deps, items), await readDeclines(deps, items)];
      const views = items.map((row) =>
        viewOfNotification(row, waits.get(row.notification_id), declines.get(row.notification_id)),
      );
      return ok({ items: views, ...rest });
    },
    resendNotification: async ({ path }) =>
      accepted(viewOfNotification(await resendNotification(deps, path.notificationId))),
  } satisfies Partial<Handlers<undefined>>;
}

export function viewOfNotification(
  row: Selectable<NotificationsTable>,
  wait?: MailWait,
  declinedAt?: Date,
): Notification {
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
    ...(wait && { waitsUntil: wait.until.toISOString(), waitsFor: wait.code }),
    ...(row.webhook !== null && { webhook: row.webhook }),
    ...(row.link_opened_at !== null && { linkOpenedAt: row.link_opened_at.toISOString() }),
    ...(declinedAt && { declinedAt: declinedAt.toISOString() }),
    ...(row.withdrawn_at !== null && { withdrawnAt: row.withdrawn_at.toISOString() }),
  };
}
