import type { Selectable } from "kysely";
import { problem } from "../../contract/problem.ts";
import { newLinkSalt } from "../db/fragments.ts";
import type { NotificationsTable } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { type Trx, transact } from "../transaction.ts";
import { markDue, PRIORITY } from "../work/rows.ts";
import { isTooLate, markWebhookDue, stillHolds } from "./mail-due.ts";
import { publishNotification } from "./notify.ts";

type Notification = Selectable<NotificationsTable>;

/**
 * Requeues a notification for delivery, whatever its state. Returns the updated notification.
 * @throws ProblemError notification_not_found, notification_withdrawn, shift_started, mail_not_configured.
 */
export async function resendNotification(deps: Deps, notificationId: string): Promise<Notification> {
  return transact(deps, async (trx) => {
    const found = await requireResendable(trx, deps, notificationId);
    const { channel, webhook } = deps;
    if (!channel && !webhook)
      throw problem("mail_not_configured", {
        detail: "Set SMTP_URL and SMTP_FROM, or NOTIFICATION_WEBHOOK_URL, first.",
      });
    const { providerId, candidateId: key } = found;
    // The operator has decided that the address is the candidate's.
    await trx
      .deleteFrom("disputedAddresses")
      .where("providerId", "=", providerId)
      .where("candidateId", "=", key)
      .execute();
    if (channel) markDue(trx, deps, [{ providerId, kind: "mail", key, priority: PRIORITY.interactive }]);
    if (webhook) markWebhookDue(trx, deps, [{ providerId }]);
    return requeue(trx, found, { channel: channel?.name, hasWebhook: webhook !== undefined });
  });
}

async function requireResendable(trx: Trx, { now }: Deps, notificationId: string): Promise<Notification> {
  const found = trx.selectFrom("notifications").where("notificationId", "=", notificationId);
  const { providerId } = await found.select("providerId").executeTakeFirstOrThrow(unknown);
  const row = await trx
    .selectFrom("notifications")
    .innerJoin("jobs", (join) =>
      join
        .onRef("jobs.providerId", "=", "notifications.providerId")
        .onRef("jobs.jobId", "=", "notifications.jobId"),
    )
    .selectAll("notifications")
    .select([stillHolds(now(), providerId).as("holds"), isTooLate(now()).as("late")])
    .where("notifications.providerId", "=", providerId)
    .where("notificationId", "=", notificationId)
    .forUpdate("notifications")
    .executeTakeFirstOrThrow(unknown);
  const { holds, late, ...notification } = row;
  if (!holds)
    throw problem("notification_withdrawn", { detail: "The job is no longer offered to the candidate." });
  if (late)
    throw problem("shift_started", { detail: "The shift that the notification is about has started." });
  return notification;
}

const unknown = () =>
  problem("notification_not_found", { detail: "There is no notification with this notificationId." });

const isWaiting = ({ channel, deliveredAt, deliveryError }: Notification): boolean =>
  channel !== null &&
  deliveredAt === null &&
  (deliveryError === null ||
    !["address_unusable", "gave_up", "address_disputed", "unsubscribed"].includes(deliveryError));

/** Makes the notification a mail of its own, which waits for no limit of offer mail, and hands it to the company's service again. */
async function requeue(
  trx: Trx,
  notification: Notification,
  { channel, hasWebhook }: { channel: string | undefined; hasWebhook: boolean },
): Promise<Notification> {
  const { providerId, notificationId, resends, deliveredAt, webhook } = notification;
  const { jobId, candidateId, kind } = notification;
  const waits = isWaiting(notification);
  if (!waits) publishNotification(trx, { notificationId, jobId, candidateId, kind }, null);
  return trx
    .updateTable("notifications")
    .set({
      digestId: notificationId,
      ...(!waits && channel && { channel, deliveredAt: null, deliveryError: null, deliveryParams: "{}" }),
      ...(hasWebhook && { webhook: "waiting" as const }),
      // New ids, so that neither the mail server nor the service drops a repetition of what was delivered.
      resends: deliveredAt === null && webhook !== "sent" ? resends : resends + 1,
      // The new mail has a new link, and that of the one before has ended.
      ...(!waits && { linkSalt: newLinkSalt() }),
    })
    .where("providerId", "=", providerId)
    .where("notificationId", "=", notificationId)
    .returningAll()
    .executeTakeFirstOrThrow();
}
