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
      .insertInto("disputedAddresses")
      .values({ providerId, candidateId, address, disputedAt: at })
      .onConflict((conflict) =>
        conflict.columns(["providerId", "candidateId"]).doUpdateSet({ address, disputedAt: at }),
      )
      .execute();
    const ended = await trx
      .updateTable("notifications")
      .set({ linkSalt: salt })
      .where("providerId", "=", providerId)
      .where("candidateId", "=", candidateId)
      .returning(["notificationId", "jobId", "kind", "traceId"])
      .execute();
    await trx
      .insertInto("personalLinks")
      .values({ providerId, candidateId, salt })
      .onConflict((conflict) => conflict.columns(["providerId", "candidateId"]).doUpdateSet({ salt }))
      .execute();
    const read =
      ended.find((each) => each.notificationId === notificationId) ??
      ended.toSorted((a, b) => (a.notificationId < b.notificationId ? 1 : -1))[0];
    if (!read) return;
    const { traceId, ...notification } = read;
    await trx
      .updateTable("notifications")
      .set({ deliveredAt: null, deliveryError: "address_disputed", deliveryParams: "{}" })
      .where("providerId", "=", providerId)
      .where("notificationId", "=", read.notificationId)
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
