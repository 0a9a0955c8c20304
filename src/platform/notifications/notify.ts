import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";
import { enqueueDeliveries } from "./queue.ts";

export type NotificationKind =
  | "job_offered"
  | "shift_changed"
  | "shift_cancelled"
  | "booking_confirmed"
  | "booking_released";

/** What is told, and of which job. */
export interface News {
  kind: NotificationKind;
  jobId: string;
  /** Names the change: the same change is told once to each candidate. */
  changeKey: string;
  content: Record<string, unknown>;
  traceId: string;
}

/** Writes one notification for each candidate who was not told yet, and sends it on its way; answers how many that were. */
export async function notify(
  trx: Trx,
  deps: Deps,
  candidateIds: readonly string[],
  news: News,
): Promise<number> {
  if (candidateIds.length === 0) return 0;
  const { kind, jobId, changeKey, content, traceId } = news;
  const row = {
    job_id: jobId,
    kind,
    change_key: changeKey,
    content: JSON.stringify(content),
    trace_id: traceId,
  };
  const told = await trx
    .insertInto("notifications")
    .values(candidateIds.map((candidate_id) => ({ ...row, candidate_id, notification_id: deps.newId() })))
    .onConflict((conflict) => conflict.columns(["candidate_id", "job_id", "kind", "change_key"]).doNothing())
    .returning(["notification_id", "candidate_id"])
    .execute();
  if (deps.channel) await enqueueDeliveries(trx, deps, told);
  return told.length;
}
