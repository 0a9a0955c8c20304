import { sql } from "kysely";
import type { NotificationKind } from "../../../generated/operations/types.ts";
import { isBusy } from "../candidates/availability.ts";
import type { Job } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream/news.ts";
import { recordSteps, type Trx } from "../transaction.ts";
import { markDue, PRIORITY } from "../work/due.ts";

type Parts = Pick<Deps, "newId" | "channel" | "wakeWorker">;

/** What is notified, and of which job. */
export interface Notice {
  providerId: string;
  jobId: string;
  kind: NotificationKind;
  /** Names the change: each candidate is notified of the same change once. */
  changeKey: string;
  content: Record<string, unknown>;
  traceId: string;
}

/** On the stream: a notification was written, delivered or changed. */
export function publishNotification(
  trx: Trx,
  ids: { notificationId: string; jobId: string; candidateId: string; kind: NotificationKind },
  deliveredAt: Date | null,
): void {
  publish(trx, { type: "notification", ...ids, deliveredAt: deliveredAt?.toISOString() ?? null });
}

/**
 * Writes one notification for each candidate who was not notified of this change yet, and has it delivered; returns how many. One parameter
 * holds all: there may be more people than a statement has parameters.
 */
export async function notify(
  trx: Trx,
  deps: Parts,
  candidateIds: readonly string[],
  { providerId, jobId, kind, changeKey, content, traceId }: Notice,
): Promise<number> {
  if (candidateIds.length === 0) return 0;
  const concerned = candidateIds.map((candidateId) => ({ candidateId, notificationId: deps.newId() }));
  const { rows } = await sql<{ notificationId: string; candidateId: string }>`
    insert into notifications (provider_id, notification_id, candidate_id, job_id, kind, change_key, content, trace_id, channel)
    select ${providerId}::uuid, "notificationId", "candidateId", ${jobId}::uuid, ${kind}::text, ${changeKey}::text,
      ${JSON.stringify(content)}::text::jsonb, ${traceId}::text, ${deps.channel?.name ?? null}::text
    from json_to_recordset(${JSON.stringify(concerned)}::text::json)
      as concerned ("notificationId" uuid, "candidateId" uuid)
    on conflict (provider_id, job_id, candidate_id, kind, change_key) do nothing
    returning notification_id as "notificationId", candidate_id as "candidateId"`.execute(trx);
  for (const row of rows) publishNotification(trx, { ...row, jobId, kind }, null);
  // What concerns someone who is booked goes before offers.
  const priority = kind === "job_offered" ? PRIORITY.event : PRIORITY.interactive;
  const mails = rows.map(({ candidateId: key }) => ({ providerId, kind: "mail", key, priority }) as const);
  if (deps.channel) await markDue(trx, deps, mails);
  return rows.length;
}

/** What a notification says of the shift: the times that it is about, and where. */
export const contentOf = (job: Job) => ({
  startTime: job.start_time,
  endTime: job.end_time,
  outletName: job.outlet_name,
  roleName: job.role_name,
});

/**
 * Offers an open job to every candidate who has the competence, is free at that time, does not hold the offer already, and has not withdrawn
 * from it.
 */
export async function offerJob(
  trx: Trx,
  deps: Parts,
  job: Job,
  { isNewlyOpen, traceId }: { isNewlyOpen: boolean; traceId: string },
): Promise<void> {
  const changeKey = `offer-${job.offer_round}`;
  const free = await findFree(trx, job);
  const candidateIds = free
    .filter(({ offered }) => offered !== changeKey)
    .map(({ candidate_id }) => candidate_id);
  const notice = { changeKey, content: contentOf(job), traceId, kind: "job_offered" } as const;
  const { provider_id: providerId, job_id: jobId, shift_id: shiftId } = job;
  const offered = await notify(trx, deps, candidateIds, { ...notice, providerId, jobId });
  // A search that finds no one new is worth a step only when the job has just opened.
  if (offered === 0 && !isNewlyOpen) return;
  const where = { traceId, providerId, shiftId, jobId };
  const params = { free: free.length, offered };
  recordSteps(trx, [{ ...where, step: "match", code: "candidates_matched", params }]);
  if (offered === 0) return;
  const notified = { kind: "job_offered", count: offered } as const;
  recordSteps(trx, [{ ...where, step: "notification", code: "notified", params: notified }]);
}

async function findFree(trx: Trx, job: Job): Promise<{ candidate_id: string; offered: string | null }[]> {
  if (job.competence_id === null) return [];
  const { rows } = await sql<{ candidate_id: string; offered: string | null }>`
    select able.candidate_id,
      (select max(change_key) from notifications as offer where offer.provider_id = ${job.provider_id}
        and offer.job_id = ${job.job_id} and offer.candidate_id = able.candidate_id and offer.kind = 'job_offered'
        and offer.change_key = ${`offer-${job.offer_round}`}) as offered
    from candidate_competences as able
    where able.competence_id = ${job.competence_id}
      and not ${isBusy(sql`able.candidate_id`, job.start_time, job.end_time)}
      and not exists (select from bookings as left_again where left_again.provider_id = ${job.provider_id}
        and left_again.job_id = ${job.job_id} and left_again.candidate_id = able.candidate_id
        and left_again.status = 'released' and left_again.reason = 'withdrawn')
    order by able.candidate_id`.execute(trx);
  return rows;
}

/** The job is no longer open, or its times have changed: its offers do not hold, and those not yet sent are dropped. */
export async function withdrawOffers(trx: Trx, job: Job, at: Date): Promise<void> {
  const { provider_id, job_id: jobId } = job;
  const kind = "job_offered";
  const rows = await trx
    .updateTable("notifications")
    .set({ withdrawn_at: at })
    .where("provider_id", "=", provider_id)
    .where("job_id", "=", jobId)
    .where("kind", "=", kind)
    .where("withdrawn_at", "is", null)
    .returning(["notification_id as notificationId", "candidate_id as candidateId", "delivered_at"])
    .execute();
  for (const { delivered_at, ...ids } of rows)
    publishNotification(trx, { ...ids, jobId, kind }, delivered_at);
}
