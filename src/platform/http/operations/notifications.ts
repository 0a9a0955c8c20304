import type { Selectable } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type { Notification } from "../../../../generated/operations/types.ts";
import { view } from "../../db/names.ts";
import type { NotificationsTable } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { resendNotification } from "../../notifications/resend.ts";
import { type MailWait, readDeclines, readMailWaits } from "../../notifications/waves.ts";
import { accepted, ok } from "../handlers.ts";
import { page } from "../page.ts";

export function notificationHandlers(deps: Deps) {
  return {
    listNotifications: async ({ query }) => {
      const where = { candidateId: query.candidateId, jobId: query.jobId };
      const { kysely } = deps.database;
      const all = kysely.selectFrom("notifications").selectAll();
      // An index begins with both.
      const ofJob = (jobId: string) =>
        all.where(
          "providerId",
          "in",
          kysely.selectFrom("jobs").select("providerId").where("jobId", "=", jobId),
        );
      const found = query.jobId === undefined ? all : ofJob(query.jobId);
      const { items, ...rest } = await page(found, query, { id: "notificationId", where }, (row) => row);
      const [waits, declines] = [await readMailWaits(deps, items), await readDeclines(deps, items)];
      const views = items.map((row) =>
        viewOfNotification(row, waits.get(row.notificationId), declines.get(row.notificationId)),
      );
      return ok({ items: views, ...rest });
    },
    resendNotification: async ({ path }) =>
      accepted(viewOfNotification(await resendNotification(deps, path.notificationId))),
  } satisfies Partial<Handlers<undefined>>;
}

function viewOfNotification(
  row: Selectable<NotificationsTable>,
  wait?: MailWait,
  declinedAt?: Date,
): Notification {
  return {
    ...view(row, ["notificationId", "candidateId", "jobId", "kind", "content", "traceId", "createdAt"]),
    ...view(row, ["channel", "deliveredAt", "deliveryError", "webhook", "linkOpenedAt", "withdrawnAt"]),
    ...(row.deliveryError !== null && { deliveryParams: row.deliveryParams }),
    ...(wait && { waitsUntil: wait.until.toISOString(), waitsFor: wait.code }),
    ...(declinedAt && { declinedAt: declinedAt.toISOString() }),
  };
}
