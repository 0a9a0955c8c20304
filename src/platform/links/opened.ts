import type { Deps } from "../deps.ts";
import { publishNotification } from "../notifications/notify.ts";
import { transact } from "../transaction.ts";
import type { LinkedShift } from "./shift.ts";

/** Records that the page of a link was opened for the first time. Mail scanners open links too, so nothing else follows from it. */
export async function noteOpened(
  deps: Pick<Deps, "database" | "now">,
  { providerId, notificationId, openedAt }: LinkedShift,
): Promise<void> {
  if (openedAt !== null) return;
  await transact(deps, async (trx) => {
    const opened = await trx
      .updateTable("notifications")
      .set({ link_opened_at: deps.now() })
      .where("provider_id", "=", providerId)
      .where("notification_id", "=", notificationId)
      .where("link_opened_at", "is", null)
      .returning(["job_id as jobId", "candidate_id as candidateId", "kind", "delivered_at"])
      .executeTakeFirst();
    if (!opened) return;
    const { delivered_at: deliveredAt, ...of } = opened;
    publishNotification(trx, { notificationId, ...of }, deliveredAt);
  });
}
