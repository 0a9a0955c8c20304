import { sql } from "kysely";
import type { NotificationKind } from "../../../generated/operations/types.ts";
import { toMinute } from "../../contract/timestamp.ts";
import {
  CALENDAR_UID,
  JOINED_OUTLET_NAME,
  JOINED_ROLE_NAME,
  jsonRows,
  PLACE_NAMES,
} from "../db/fragments.ts";
import { type Organisation, providerOf } from "../db/organisation.ts";
import type { Job } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream.ts";
import { grouped, type Trx } from "../transaction.ts";
import { markMailDue, markWebhookDue } from "./mail-due.ts";

export type NotifyParts = Pick<Deps, "newId" | "channel" | "webhook" | "wakeWorker" | "now">;

/** A notification about a job, without its recipients. */
export interface Notice {
  providerId: string;
  jobId: string;
  kind: NotificationKind;
  /** Identifies the change: each candidate is notified of the same change once. */
  changeKey: string;
  /** Without the names of the outlet and the role, which are added as it is written. */
  content: Record<string, unknown>;
  traceId: string;
}

/** Publishes on the stream that a notification was written, delivered, or changed. */
export function publishNotification(
  trx: Trx,
  ids: { notificationId: string; jobId: string; candidateId: string; kind: NotificationKind },
  deliveredAt: Date | null,
): void {
  publish(trx, { type: "notification", ...ids, deliveredAt: deliveredAt?.toISOString() ?? null });
}

/** The change key of the offers of one round of a job. */
export const offerKey = (round: number): string => `offer-${round}`;

/** Writes a notification to each candidate who was not yet notified of this change, and makes it due. Returns their number. */
export async function notify(
  trx: Trx,
  deps: NotifyParts,
  candidateIds: readonly string[],
  notice: Notice,
): Promise<number> {
  const written = await insertAll(
    trx,
    deps,
    candidateIds.map((candidateId) => ({ ...notice, candidateId })),
  );
  return written.length;
}

interface Written {
  providerId: string;
  notificationId: string;
  candidateId: string;
  jobId: string;
  kind: NotificationKind;
  startTime: string;
}

/** Inserts notifications from one parameter: there may be more recipients than a statement may have parameters. */
export async function insertAll(
  trx: Trx,
  deps: NotifyParts,
  notices: readonly (Notice & { candidateId: string })[],
): Promise<Written[]> {
  if (notices.length === 0) return [];
  const given = notices.map((notice) => ({ ...notice, notificationId: deps.newId() }));
  const written: Written[] = [];
  for (const [organisation, group] of grouped(trx, given))
    written.push(...(await insert(trx, deps, group, organisation)));
  for (const { providerId: _, startTime: __, ...row } of written) publishNotification(trx, row, null);
  if (deps.channel) markMailDue(trx, deps, written);
  if (deps.webhook) markWebhookDue(trx, deps, written);
  return written;
}

/** The provider of a row is that of its job. */
async function insert(
  trx: Trx,
  { channel, webhook }: NotifyParts,
  given: readonly object[],
  organisation: Organisation,
): Promise<Written[]> {
  const { rows } = await sql<Written>`
    insert into notifications (provider_id, notification_id, candidate_id, job_id, kind, change_key, content, trace_id, channel, webhook, calendar_uid)
    select jobs.provider_id, "notificationId", "candidateId", jobs.job_id, kind, "changeKey", content || jsonb_build_object(
        'outletName', ${JOINED_OUTLET_NAME}, 'roleName', ${JOINED_ROLE_NAME}), "traceId", ${channel?.name ?? null}::text,
      ${webhook ? "waiting" : null}::text,
      case when kind <> 'job_offered' then (select ${CALENDAR_UID} from bookings
        where bookings.provider_id = ${providerOf(organisation, "given.providerId")} and bookings.job_id = "jobId"
          and bookings.candidate_id = "candidateId" order by booking_id desc limit 1) end
    from ${jsonRows(given)} as given ("providerId" uuid, "notificationId" uuid,
        "candidateId" uuid, "jobId" uuid, kind text, "changeKey" text, content jsonb, "traceId" text)
      join jobs on jobs.provider_id = ${providerOf(organisation, "given.providerId")} and jobs.job_id = "jobId"
      ${PLACE_NAMES}
    on conflict (provider_id, job_id, candidate_id, kind, change_key) do nothing
    returning provider_id, notification_id, candidate_id,
      job_id, kind, content ->> 'startTime' as "startTime"`.execute(trx);
  return rows;
}

/** Returns what a notification states about the shift, in whole minutes, beside the names of its outlet and role. */
export const contentOf = (job: Job) => ({
  startTime: toMinute(job.startTime),
  endTime: toMinute(job.endTime),
});
