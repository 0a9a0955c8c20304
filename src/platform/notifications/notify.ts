import { sql } from "kysely";
import type { NotificationKind } from "../../../generated/operations/types.ts";
import { isBusy } from "../candidates/availability.ts";
import { OUTLET_NAME, ROLE_NAME } from "../db/fragments.ts";
import type { Job } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream/stream.ts";
import { recordSteps, type Trx, type Writer, writeAtEnd } from "../transaction.ts";
import { markDue, PRIORITY } from "../work/due.ts";
import { resolveMailIssues } from "./mail-issues.ts";

type Parts = Pick<Deps, "newId" | "channel" | "wakeWorker">;

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

/** Writes a notification to each candidate who was not yet notified of this change, and makes it due. Returns their number. */
export async function notify(
  trx: Trx,
  deps: Parts,
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
}

/** Inserts notifications from one parameter: there may be more recipients than a statement may have parameters. */
async function insertAll(
  trx: Trx,
  deps: Parts,
  notices: readonly (Notice & { candidateId: string })[],
): Promise<Written[]> {
  if (notices.length === 0) return [];
  const given = notices.map((notice) => ({ ...notice, notificationId: deps.newId() }));
  const { rows } = await sql<Written>`
    insert into notifications (provider_id, notification_id, candidate_id, job_id, kind, change_key, content, trace_id, channel)
    select "providerId", "notificationId", "candidateId", "jobId", kind, "changeKey", content || names, "traceId", ${deps.channel?.name ?? null}::text
    from json_to_recordset(${JSON.stringify(given)}::text::json) as given ("providerId" uuid, "notificationId" uuid,
      "candidateId" uuid, "jobId" uuid, kind text, "changeKey" text, content jsonb, "traceId" text)
      cross join lateral (select jsonb_build_object('outletName', ${OUTLET_NAME}, 'roleName', ${ROLE_NAME}) as names
        from jobs where jobs.provider_id = "providerId" and jobs.job_id = "jobId" offset 0) as named
    on conflict (provider_id, job_id, candidate_id, kind, change_key) do nothing
    returning provider_id as "providerId", notification_id as "notificationId", candidate_id as "candidateId",
      job_id as "jobId", kind`.execute(trx);
  for (const { providerId: _, ...row } of rows) publishNotification(trx, row, null);
  // Notifications about bookings take precedence over offers.
  const priorityOf = (kind: NotificationKind) =>
    kind === "job_offered" ? PRIORITY.event : PRIORITY.interactive;
  const mails = rows.map(
    ({ providerId, candidateId: key, kind }) =>
      ({ providerId, kind: "mail", key, priority: priorityOf(kind) }) as const,
  );
  if (deps.channel) markDue(trx, deps, mails);
  return rows;
}

/** Returns what a notification states about the shift beside the names of its outlet and role. */
export const contentOf = (job: Job) => ({
  startTime: job.start_time,
  endTime: job.end_time,
});

/** An offer of an open job. */
interface Offer {
  deps: Parts;
  job: Job;
  isNewlyOpen: boolean;
  traceId: string;
}

/**
 * Offers an open job, at the end of the transaction, to every candidate who has the competence, is free at that time, does not hold the offer, and
 * has not withdrawn from the job.
 */
export const offerJob = (trx: Trx, offer: Offer): void => writeAtEnd(trx, OFFERS, offer);

const OFFERS: Writer<Offer> = {
  order: 4,
  write: async (trx, offers) => {
    const deps = offers[0]?.deps;
    if (!deps) return;
    const free = await findFree(trx, offers);
    const lacking = free.filter(({ isOffered }) => !isOffered);
    const offered = await insertAll(
      trx,
      deps,
      lacking.map((each) => noticeOf(offers[each.nth], each.candidateId)),
    );
    for (const [nth, offer] of offers.entries()) {
      const found = free.filter((each) => each.nth === nth).length;
      recordOffer(trx, offer, found, offered.filter(({ jobId }) => jobId === offer.job.job_id).length);
    }
  },
};

function noticeOf(offer: Offer | undefined, candidateId: string): Notice & { candidateId: string } {
  if (!offer) throw new Error("a candidate was found for a job that is not offered");
  const { job, traceId } = offer;
  const { provider_id: providerId, job_id: jobId } = job;
  return {
    ...{ providerId, jobId, candidateId, traceId, kind: "job_offered" },
    ...{ changeKey: offerKey(job), content: contentOf(job) },
  };
}

const offerKey = ({ offer_round }: Job) => `offer-${offer_round}`;

function recordOffer(trx: Trx, { job, isNewlyOpen, traceId }: Offer, free: number, offered: number): void {
  // A search without new candidates is recorded only when the job has just opened.
  if (offered === 0 && !isNewlyOpen) return;
  const { provider_id: providerId, shift_id: shiftId, job_id: jobId } = job;
  const where = { traceId, providerId, shiftId, jobId };
  recordSteps(trx, [{ ...where, step: "match", code: "candidates_matched", params: { free, offered } }]);
  if (offered === 0) return;
  const params = { kind: "job_offered", count: offered } as const;
  recordSteps(trx, [{ ...where, step: "notification", code: "notified", params }]);
}

interface Free {
  /** Which of the jobs. */
  nth: number;
  candidateId: string;
  isOffered: boolean;
}

/** Finds the candidates to offer each job to. `offset 0` makes the planner look up each candidate by key, whatever the sizes of the tables. */
async function findFree(trx: Trx, offers: readonly Offer[]): Promise<Free[]> {
  const rows = offers.map(({ job }, nth) => ({
    ...{ nth, provider: job.provider_id, job: job.job_id, competence: job.competence_id, key: offerKey(job) },
    ...{ from: job.start_time, to: job.end_time },
  }));
  const { rows: free } = await sql<Free>`
    select asked.nth, able.candidate_id as "candidateId", exists (
        select from notifications as offer where offer.provider_id = asked.provider and offer.job_id = asked.job
          and offer.candidate_id = able.candidate_id and offer.kind = 'job_offered' and offer.change_key = asked.key offset 0) as "isOffered"
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as asked (nth int, provider uuid, job uuid, competence uuid,
        key text, "from" timestamptz, "to" timestamptz)
      cross join lateral (select candidate_id from candidate_competences where competence_id = asked.competence offset 0) as able
    where not ${isBusy(sql`able.candidate_id`, sql`asked."from"`, sql`asked."to"`)}
      and not exists (select from bookings as withdrawn where withdrawn.provider_id = asked.provider
        and withdrawn.job_id = asked.job and withdrawn.candidate_id = able.candidate_id
        and withdrawn.status = 'released' and withdrawn.reason = 'withdrawn' offset 0)
    order by asked.nth, able.candidate_id`.execute(trx);
  return free;
}

/** Withdraws the offers of a job that is no longer open or whose times changed. Offers that were not sent yet are dropped. */
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
    .returning([
      "notification_id as notificationId",
      "candidate_id as candidateId",
      "delivered_at",
      "delivery_error",
    ])
    .execute();
  for (const { delivered_at, delivery_error, ...ids } of rows) {
    publishNotification(trx, { ...ids, jobId, kind }, delivered_at);
    if (delivery_error !== null) resolveMailIssues(trx, provider_id, at);
  }
}
