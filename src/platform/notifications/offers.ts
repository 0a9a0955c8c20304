import { sql } from "kysely";
import { ablePeople, findBusy, isBusy } from "../candidates/eligible.ts";
import { JOINED_OUTLET_NAME, JOINED_ROLE_NAME, jsonRows, PLACE_NAMES, ROW_BY_ROW } from "../db/fragments.ts";
import { type Organisation, providerOf } from "../db/organisation.ts";
import type { Job, NotificationsTable } from "../db/schema.ts";
import { recordSteps, type Trx, type Writer, writeAtEnd } from "../transaction.ts";
import { markMailDue, markWebhookDue } from "./mail-due.ts";
import { resolveMailIssues } from "./mail-issues.ts";
import {
  contentOf,
  insertAll,
  type Notice,
  type NotifyParts,
  offerKey,
  publishNotification,
} from "./notify.ts";
import { nextWave, type WaveParts } from "./waves.ts";

const kind = "job_offered";

/** An offer of an open job. */
interface Offer {
  deps: NotifyParts & WaveParts;
  job: Job;
  isNewlyOpen: boolean;
  traceId: string;
}

/**
 * Offers an open job, at the end of the transaction, to candidates who are valid for the organisation, have the competence, are free at that time, do not hold the offer, and
 * have neither declined nor withdrawn from the job: to all of them, or to the next wave. The same offer is made once: it is restored after it was withdrawn, unless a confirmed booking has ended.
 */
export const offerJob = (trx: Trx, offer: Offer): void =>
  writeAtEnd(trx, OFFERS, { ...offer, providerId: offer.job.providerId });

const OFFERS: Writer<Offer & { providerId: string }> = {
  table: "notifications",
  write: async (trx, offers, organisation) => {
    const deps = offers[0]?.deps;
    if (!deps) return;
    const free = await findFree(trx, offers, organisation);
    const restored = await restore(trx, deps, offers, free, organisation);
    const lacking = free.filter(
      (each) => each.offer !== "held" && !restored.has(`${each.nth} ${each.candidateId}`),
    );
    const asked = await nextWave(trx, deps, { lacking, jobs: offers.map(({ job }) => job) }, organisation);
    const notices = asked.map((each) => noticeOf(offers[each.nth], each.candidateId));
    const offered = await insertAll(trx, deps, notices);
    for (const [nth, offer] of offers.entries()) {
      const found = free.filter((each) => each.nth === nth).length;
      recordOffer(trx, offer, found, offered.filter(({ jobId }) => jobId === offer.job.jobId).length);
    }
  },
};

function noticeOf(offer: Offer | undefined, candidateId: string): Notice & { candidateId: string } {
  if (!offer) throw new Error("a candidate was found for a job that is not offered");
  const { job, traceId } = offer;
  const { providerId, jobId } = job;
  return {
    providerId,
    jobId,
    candidateId,
    traceId,
    kind,
    changeKey: offerKey(job.offerRound),
    content: contentOf(job),
  };
}

/** How many rounds back an offer can be restored: a job whose times change for ever must not make the statement grow. */
const ROUNDS = 100;

/** The keys of offers that may be restored: of this round, then of those before it since a confirmed booking last ended. */
function restorableKeys({ offerRound: last, renewedRound: first }: Job): string[] {
  const count = Math.min(ROUNDS, last - first + 1);
  return Array.from({ length: count }, (_, back) => offerKey(last - back));
}

function recordOffer(trx: Trx, { job, isNewlyOpen, traceId }: Offer, free: number, offered: number): void {
  // A search without new candidates is recorded only when the job has just opened.
  if (offered === 0 && !isNewlyOpen) return;
  const { providerId, shiftId, jobId } = job;
  const where = { traceId, providerId, shiftId, jobId };
  recordSteps(trx, [{ ...where, step: "match", code: "candidates_matched", params: { free, offered } }]);
  if (offered === 0) return;
  recordSteps(trx, [{ ...where, step: "notification", code: "notified", params: { kind, count: offered } }]);
}

interface Free {
  /** Which of the jobs. */
  nth: number;
  candidateId: string;
  /** `held`: the current offer holds; `earlier`: only a former one exists; null: no offer was made. */
  offer: "held" | "earlier" | null;
}

/** Finds the candidates to offer each job to. */
async function findFree(trx: Trx, offers: readonly Offer[], organisation: Organisation): Promise<Free[]> {
  const provider = providerOf(organisation, "asked.provider");
  // Bookings at other organisations may be on another worker.
  const isFree =
    organisation === undefined
      ? sql`not ${isBusy(sql`able.candidate_id`, sql`asked.provider`, sql`asked."from"`, sql`asked."to"`)}`
      : sql`true`;
  const rows = offers.map(({ job }, nth) => ({
    nth,
    provider: job.providerId,
    job: job.jobId,
    competence: job.competenceId,
    key: offerKey(job.offerRound),
    from: job.startTime,
    to: job.endTime,
  }));
  const { rows: free } = await sql<Free>`
    select asked.nth, able.candidate_id, (
        select case when bool_or(offer.change_key = asked.key and offer.withdrawn_at is null) then 'held'
          when count(*) > 0 then 'earlier' end
        from notifications as offer where offer.provider_id = ${provider} and offer.job_id = asked.job
          and offer.candidate_id = able.candidate_id and offer.kind = ${kind}) as offer
    from ${jsonRows(rows)} as asked (nth int, provider uuid, job uuid, competence uuid,
        key text, "from" timestamptz, "to" timestamptz)
      cross join lateral ${ablePeople(provider, sql`asked.competence`)} as able
    where ${isFree}
      and not exists (select 1 from bookings as withdrawn where withdrawn.provider_id = ${provider}
        and withdrawn.job_id = asked.job and withdrawn.candidate_id = able.candidate_id
        and withdrawn.status = 'released' and withdrawn.reason = 'withdrawn' ${ROW_BY_ROW})
      and not exists (select 1 from declines where declines.provider_id = ${provider}
        and declines.job_id = asked.job and declines.candidate_id = able.candidate_id ${ROW_BY_ROW})
    order by asked.nth, able.candidate_id`.execute(trx);
  return organisation === undefined ? free : withoutBusy(trx, offers, free, organisation);
}

async function withoutBusy(
  trx: Trx,
  offers: readonly Offer[],
  free: readonly Free[],
  providerId: string,
): Promise<Free[]> {
  const ids = [...new Set(free.map(({ candidateId }) => candidateId))];
  const from = new Date(Math.min(...offers.map(({ job }) => Number(new Date(job.startTime)))));
  const to = new Date(Math.max(...offers.map(({ job }) => Number(new Date(job.endTime)))));
  const busy = await findBusy(trx, providerId, ids, from, to);
  const byPerson = Map.groupBy(busy, ({ candidateId }) => candidateId);
  return free.filter(({ nth, candidateId }) => {
    const job = offers[nth]?.job;
    const times = byPerson.get(candidateId) ?? [];
    return (
      job && !times.some((time) => time.from < new Date(job.endTime) && time.to > new Date(job.startTime))
    );
  });
}

interface Restored {
  nth: number;
  providerId: string;
  notificationId: string;
  candidateId: string;
  jobId: string;
  startTime: string;
  deliveredAt: Date | null;
  webhook: NotificationsTable["webhook"];
}

/**
 * Restores withdrawn offers that are the same as the current one: of the same times, place and role, and without a confirmed booking that has
 * ended since. What was mailed is not mailed again, unless a later mail named other times. Returns who holds a restored offer, as `nth candidateId`.
 */
async function restore(
  trx: Trx,
  deps: NotifyParts,
  offers: readonly Offer[],
  free: readonly Free[],
  organisation: Organisation,
): Promise<Set<string>> {
  const provider = providerOf(organisation, "same.provider");
  const asked = free.flatMap(({ nth, candidateId, offer }) => {
    const job = offers[nth]?.job;
    if (!job || offer !== "earlier") return [];
    const of = { nth, provider: job.providerId, job: job.jobId, candidate: candidateId };
    return [{ ...of, key: offerKey(job.offerRound), keys: restorableKeys(job), content: contentOf(job) }];
  });
  if (asked.length === 0) return new Set();
  const { rows } = await sql<Restored>`
    update notifications set withdrawn_at = null, change_key = same.key
    from ${jsonRows(asked)} as same (nth int, provider uuid, job uuid, candidate uuid,
        key text, keys text[], content jsonb)
      cross join lateral (select same.content || jsonb_build_object('outletName', ${JOINED_OUTLET_NAME}, 'roleName', ${JOINED_ROLE_NAME}) as content
        from jobs ${PLACE_NAMES} where jobs.provider_id = ${provider} and jobs.job_id = same.job ${ROW_BY_ROW}) as named
      cross join lateral (select notification_id from notifications as earlier
        where earlier.provider_id = ${provider} and earlier.job_id = same.job and earlier.candidate_id = same.candidate
          and earlier.kind = ${kind} and earlier.withdrawn_at is not null
          and (earlier.change_key = same.key or earlier.change_key = any(same.keys) and earlier.content = named.content
            and not exists (select 1 from notifications as later
            where later.provider_id = ${provider} and later.job_id = same.job and later.candidate_id = same.candidate
              and later.kind = ${kind} and later.notification_id > earlier.notification_id
              and later.delivered_at is not null and later.content <> earlier.content))
        order by (earlier.change_key = same.key) desc, notification_id desc limit 1) as found
    where notifications.provider_id = ${provider} and notifications.notification_id = found.notification_id
    returning same.nth, notifications.provider_id, notifications.notification_id,
      candidate_id, job_id, notifications.content ->> 'startTime' as "startTime",
      delivered_at, webhook`.execute(trx);
  for (const { notificationId, jobId, candidateId, deliveredAt } of rows)
    publishNotification(trx, { notificationId, jobId, candidateId, kind }, deliveredAt);
  const waiting = rows.filter(({ deliveredAt }) => deliveredAt === null);
  if (deps.channel)
    markMailDue(
      trx,
      deps,
      waiting.map((row) => ({ ...row, kind })),
    );
  if (deps.webhook)
    markWebhookDue(
      trx,
      deps,
      rows.filter(({ webhook }) => webhook === "waiting"),
    );
  return new Set(rows.map(({ nth, candidateId }) => `${nth} ${candidateId}`));
}

/** Withdraws the offers of a job that is no longer open or whose times changed, or those to one candidate. Offers that were not sent yet are dropped. */
export async function withdrawOffers(trx: Trx, job: Job, at: Date, candidateId?: string): Promise<void> {
  const { providerId, jobId } = job;
  const rows = await trx
    .updateTable("notifications")
    .set({ withdrawnAt: at })
    .where("providerId", "=", providerId)
    .where("jobId", "=", jobId)
    .where("kind", "=", kind)
    .where("withdrawnAt", "is", null)
    .$if(candidateId !== undefined, (query) => query.where("candidateId", "=", candidateId ?? ""))
    .returning(["notificationId", "candidateId", "deliveredAt", "deliveryError"])
    .execute();
  for (const { deliveredAt, deliveryError, ...ids } of rows) {
    publishNotification(trx, { ...ids, jobId, kind }, deliveredAt);
    if (deliveryError !== null) resolveMailIssues(trx, providerId, at);
  }
}
