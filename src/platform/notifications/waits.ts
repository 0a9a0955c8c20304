import { type Selectable, sql } from "kysely";
import type { WaitCode } from "../../../generated/operations/types.ts";
import { DAY_MS } from "../../contract/durations.ts";
import { IS_ATTEMPTED, IS_UNDELIVERED, idList, jsonRows } from "../db/fragments.ts";
import type { NotificationsTable } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { stillHolds } from "./mail-due.ts";

export interface MailWait {
  until: Date;
  code: WaitCode;
}

interface Row {
  notificationId: string;
  until: Date;
  hasFailed: boolean;
  candidateId: string;
}

/** Returns until when the mail of each of these notifications waits, and why, by notificationId; nothing of one that does not wait. */
export async function readMailWaits(
  { database, now, offerMail: { perDay } }: Pick<Deps, "database" | "now" | "offerMail">,
  notifications: readonly Selectable<NotificationsTable>[],
): Promise<ReadonlyMap<string, MailWait>> {
  const ids = notifications
    .filter(({ channel, deliveredAt }) => channel !== null && deliveredAt === null)
    .map((row) => ({ provider: row.providerId, id: row.notificationId }));
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Row>`
    select notification_id, notifications.candidate_id, work.due_at as until,
      work.attempts > 0 as "hasFailed"
    from ${jsonRows(ids)} as asked (provider uuid, id uuid)
      join notifications on notifications.provider_id = asked.provider and notification_id = asked.id
      join jobs on jobs.provider_id = notifications.provider_id and jobs.job_id = notifications.job_id
      join work on work.provider_id = asked.provider and work.kind = 'mail' and work.key = notifications.candidate_id::text
    where ${IS_UNDELIVERED} and ${stillHolds(now())} and work.claim is null and work.due_at > now()
      and ${IS_ATTEMPTED}`.execute(database.kysely);
  // Of all organisations together.
  const { rows: mails } = await sql<{ candidateId: string; count: number }>`
    select candidate_id, count(*)::int as count from offer_mails
    where candidate_id = any (${idList(rows.map(({ candidateId }) => candidateId))})
      and coalesce(sent_at, at) > ${new Date(now().getTime() - DAY_MS)} group by candidate_id`.execute(
    database.kysely,
  );
  const mailed = new Map(mails.map(({ candidateId, count }) => [candidateId, count]));
  const codeOf = ({ hasFailed, candidateId }: Row): WaitCode => {
    if (hasFailed) return "mail_server";
    return perDay > 0 && (mailed.get(candidateId) ?? 0) >= perDay ? "daily_limit" : "offer_window";
  };
  return new Map(rows.map((row) => [row.notificationId, { until: row.until, code: codeOf(row) }]));
}

/** Returns when the candidates of these offers declined their shifts, by notificationId. */
export async function readDeclines(
  { database }: Pick<Deps, "database">,
  notifications: readonly Selectable<NotificationsTable>[],
): Promise<ReadonlyMap<string, Date>> {
  const offers = notifications
    .filter(({ kind }) => kind === "job_offered")
    .map((row) => ({
      id: row.notificationId,
      provider: row.providerId,
      job: row.jobId,
      candidate: row.candidateId,
    }));
  if (offers.length === 0) return new Map();
  const { rows } = await sql<{ id: string; declinedAt: Date }>`
    select asked.id, declined_at
    from ${jsonRows(offers)} as asked (id uuid, provider uuid, job uuid, candidate uuid)
      join declines on declines.provider_id = asked.provider and declines.job_id = asked.job
        and declines.candidate_id = asked.candidate`.execute(database.kysely);
  return new Map(rows.map(({ id, declinedAt }) => [id, declinedAt]));
}
