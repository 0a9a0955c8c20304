import { newLinkSalt } from "../db/fragments.ts";
import type { Deps } from "../deps.ts";
import { raiseRefused } from "../notifications/mail-issues.ts";
import { publishNotification } from "../notifications/notify.ts";
import { transact } from "../transaction.ts";

interface Disowned {
  providerId: string;
  candidateId: string;
  /** Where the mail has arrived. */
  address: string;
  /** Of the page that was answered; otherwise the newest one. */
  notificationId?: string;
}

/**
 * The reader of the mail is someone else: ends all links of the candidate at the organisation, sends no more to the address, and raises an issue about the
 * notification, which has not reached the candidate.
 */
export async function disown(
  deps: Deps,
  { providerId, candidateId, address, notificationId }: Disowned,
): Promise<void> {
  await transact(deps, async (trx) => {
    const at = deps.now();
    const salt = newLinkSalt();
    await trx
      .insertInto("disputed_addresses")
      .values({ provider_id: providerId, candidate_id: candidateId, address, disputed_at: at })
      .onConflict((conflict) =>
        conflict.columns(["provider_id", "candidate_id"]).doUpdateSet({ address, disputed_at: at }),
      )
      .execute();
    const ended = await trx
      .updateTable("notifications")
      .set({ link_salt: salt })
      .where("provider_id", "=", providerId)
      .where("candidate_id", "=", candidateId)
      .returning(["notification_id as notificationId", "job_id as jobId", "kind", "trace_id as traceId"])
      .execute();
    await trx
      .insertInto("personal_links")
      .values({ provider_id: providerId, candidate_id: candidateId, salt })
      .onConflict((conflict) => conflict.columns(["provider_id", "candidate_id"]).doUpdateSet({ salt }))
      .execute();
    const read =
      ended.find((each) => each.notificationId === notificationId) ??
      ended.toSorted((a, b) => (a.notificationId < b.notificationId ? 1 : -1))[0];
    if (!read) return;
    const { traceId, ...notification } = read;
    await trx
      .updateTable("notifications")
      .set({ delivered_at: null, delivery_error: "address_disputed", delivery_params: "{}" })
      .where("provider_id", "=", providerId)
      .where("notification_id", "=", read.notificationId)
      .execute();
    publishNotification(trx, { ...notification, candidateId }, null);
    await raiseRefused(trx, deps, {
      providerId,
      notificationId: read.notificationId,
      candidateId,
      traceId,
      params: { kind: read.kind, delivery: "address_disputed" },
    });
  });
}
