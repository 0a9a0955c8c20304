import { sql } from "kysely";
import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";
import { enqueueDeliveries, type Written } from "./queue.ts";

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

/**
 * Writes one notification for each candidate who was not told yet, and sends it on its way; answers how many that were. An offer that
 * was withheld, because it did not stand when it was to be sent, counts as not told. One parameter holds all: there may be more people
 * than a statement has parameters.
 */
export async function notify(
  trx: Trx,
  deps: Deps,
  candidateIds: readonly string[],
  { kind, jobId, changeKey, content, traceId }: News,
): Promise<number> {
  if (candidateIds.length === 0) return 0;
  const concerned = candidateIds.map((candidateId) => ({ candidateId, notificationId: deps.newId() }));
  const { rows: told } = await sql<Written>`
    insert into notifications (notification_id, candidate_id, job_id, kind, change_key, content, trace_id, channel)
    select "notificationId", "candidateId", ${jobId}::uuid, ${kind}::text, ${changeKey}::text,
      ${JSON.stringify(content)}::text::jsonb, ${traceId}::text, ${deps.channel?.name ?? null}::text
    from json_to_recordset(${JSON.stringify(concerned)}::text::json)
      as concerned ("notificationId" uuid, "candidateId" uuid)
    on conflict (candidate_id, job_id, kind, change_key)
      do update set content = excluded.content, channel = excluded.channel, delivery_error = null, withheld_at = null
      where notifications.withheld_at is not null
    returning notification_id, candidate_id`.execute(trx);
  if (deps.channel) await enqueueDeliveries(trx, deps, told);
  return told.length;
}
