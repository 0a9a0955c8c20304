import { type Selectable, sql } from "kysely";
import type { WaitCode } from "../../../generated/operations/types.ts";
import { DAY_MS } from "../../contract/timestamp.ts";
import { EMAIL, mailboxOf, ofOrganisation } from "../candidates/eligible.ts";
import { IS_ATTEMPTED, IS_UNDELIVERED, jsonRows } from "../db/fragments.ts";
import { type Organisation, providerOf } from "../db/organisation.ts";
import type { Job, NotificationsTable } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../transaction.ts";
import { markRefreshDue } from "../work/refresh.ts";
import { heldInMs, stillHolds, urgentAt } from "./mail-due.ts";
import { offerKey } from "./notify.ts";

export type WaveParts = Pick<Deps, "now" | "offerMail" | "offerWaves" | "wakeWorker">;

interface Lacking {
  /** Which of the jobs. */
  nth: number;
  candidateId: string;
}

/**
 * Returns to whom of those who lack an offer the jobs are offered now: to all, unless offers go out in waves and the shift is not near. While a wave has its
 * pause, to no one. Makes the shift due for its next wave. Who was asked, and when, is what the notifications say.
 */
export async function nextWave<Person extends Lacking>(
  trx: Trx,
  deps: WaveParts,
  { lacking, jobs }: { lacking: readonly Person[]; jobs: readonly Job[] },
  organisation: Organisation,
): Promise<readonly Person[]> {
  const { size, pauseMs } = deps.offerWaves;
  if (size === 0 || lacking.length === 0) return lacking;
  const now = deps.now().getTime();
  const inWaves = jobs.map((job) => urgentAt(job.startTime) > now);
  const waiting = Map.groupBy(
    lacking.filter(({ nth }) => inWaves[nth]),
    ({ nth }) => nth,
  );
  const ends = await readEnds(trx, deps, { jobs, nths: [...waiting.keys()] }, organisation);
  const next = [...waiting].filter(([nth]) => (ends.get(nth) ?? now) <= now).flatMap(([, people]) => people);
  const first = await selectFirst(trx, deps, { lacking: next, jobs }, organisation);
  for (const [nth, people] of waiting) {
    const job = jobs[nth];
    const end = ends.get(nth) ?? now;
    if (!job || people.every(({ candidateId }) => first.has(`${nth} ${candidateId}`))) continue;
    const at = Math.min(end <= now ? now + pauseMs : end, urgentAt(job.startTime));
    const { providerId, shiftId: wave } = job;
    markRefreshDue(trx, deps, [{ providerId, key: { wave }, afterMs: at - now }]);
  }
  return lacking.filter(({ nth, candidateId }) => !inWaves[nth] || first.has(`${nth} ${candidateId}`));
}

/**
 * Returns when the pause of the wave ends that each job was last offered to. A mail that waits for the limits of offer mail is taken for sent at the end of
 * the window: the shift does not wait for a person who may get no more mail today. One that the mail server failed to accept is waited for.
 */
async function readEnds(
  trx: Trx,
  { now, offerMail, offerWaves: { pauseMs } }: WaveParts,
  { jobs, nths }: { jobs: readonly Job[]; nths: readonly number[] },
  organisation: Organisation,
): Promise<Map<number, number>> {
  const rows = nths.flatMap((nth) => {
    const job = jobs[nth];
    return job ? [{ nth, provider: job.providerId, job: job.jobId, key: offerKey(job.offerRound) }] : [];
  });
  if (rows.length === 0) return new Map();
  const provider = providerOf(organisation, "asked.provider");
  const { rows: sent } = await sql<{ nth: number; at: Date }>`
    select asked.nth, max(case when delivered_at is not null then delivered_at when channel is null then created_at
      when delivery_error is null then created_at + ${offerMail.everyMs}::float8 * interval '1 millisecond' else ${now()} end) as at
    from ${jsonRows(rows)} as asked (nth int, provider uuid, job uuid, key text)
      join notifications on notifications.provider_id = ${provider} and notifications.job_id = asked.job
        and notifications.kind = 'job_offered' and notifications.change_key = asked.key
    where notifications.withdrawn_at is null and ${IS_ATTEMPTED} group by asked.nth`.execute(trx);
  return new Map(sent.map(({ nth, at }) => [nth, at.getTime() + pauseMs]));
}

const GETS_NO_MAIL = sql`unsubscribed_at is not null or disputed.address is not null or ${EMAIL} = ''`;

const hasStarted = (now: Date) => sql`jobs.start_time <= ${now}`;

/**
 * Selects whom to ask first: who has worked at the workplace, then who has worked with the competence, then who has been without a shift longest, each of them
 * as far as bookings of the organisation show, and shifts on which the provider itself has put the person. A lot for each shift decides among equals: the same new people must not be asked first each time. Who gets no mail with offers, by choice or without a
 * right address, takes no place, and is asked with those before. Returns them as `nth candidateId`.
 */
async function selectFirst(
  trx: Trx,
  { now, offerWaves: { size } }: WaveParts,
  { lacking, jobs }: { lacking: readonly Lacking[]; jobs: readonly Job[] },
  organisation: Organisation,
): Promise<Set<string>> {
  const rows = lacking.flatMap(({ nth, candidateId: candidate }) => {
    const job = jobs[nth];
    if (!job) return [];
    const { providerId: provider, jobId, workplaceId: workplace, competenceId: competence } = job;
    return [{ nth, job: jobId, candidate, provider, workplace, competence }];
  });
  if (rows.length === 0) return new Set();
  const provider = providerOf(organisation, "asked.provider");
  const { rows: first } = await sql<Lacking>`
    select nth, candidate as "candidateId" from (
      select asked.nth, asked.candidate, count(case when not bool_or(${GETS_NO_MAIL}) then 1 end) over (partition by asked.nth
        order by coalesce(bool_or(${hasStarted(now())} and jobs.workplace_id = asked.workplace), false) desc,
          coalesce(bool_or(${hasStarted(now())} and jobs.competence_id = asked.competence), false) desc,
          max(jobs.end_time) nulls first, md5(asked.job::text || asked.candidate::text)) as place
      from ${jsonRows(rows)} as asked (nth int, job uuid, candidate uuid, provider uuid, workplace uuid, competence uuid)
        left join lateral (
          select job_id from bookings where bookings.provider_id = ${provider} and bookings.candidate_id = asked.candidate
            and bookings.status = 'confirmed'
          union all select job_id from own_people where own_people.provider_id = ${provider} and own_people.candidate_id = asked.candidate
        ) as worked on true
        left join jobs on jobs.provider_id = ${provider} and jobs.job_id = worked.job_id
        left join personal_links on personal_links.provider_id = ${provider} and personal_links.candidate_id = asked.candidate
        left join candidates on candidates.candidate_id = asked.candidate ${ofOrganisation(provider)}
        left join disputed_addresses as disputed on disputed.provider_id = ${provider} and disputed.candidate_id = asked.candidate and disputed.address = ${EMAIL}
      group by asked.nth, asked.job, asked.candidate) as ranked
    where place <= ${size}::int`.execute(trx);
  return new Set(first.map(({ nth, candidateId }) => `${nth} ${candidateId}`));
}

export interface MailWait {
  until: Date;
  code: WaitCode;
}

interface Row {
  notificationId: string;
  until: Date;
  hasFailed: boolean;
  isHeld: boolean;
  mailed: number;
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
    select notification_id, ${heldInMs(now())} is not null as "isHeld", work.due_at as until,
      (select count(*)::int from offer_mails where offer_mails.provider_id = notifications.provider_id and mailbox = ${mailboxOf(EMAIL)}
        and coalesce(sent_at, at) > ${new Date(now().getTime() - DAY_MS)}) as mailed,
      work.attempts > 0 as "hasFailed"
    from ${jsonRows(ids)} as asked (provider uuid, id uuid)
      join notifications on notifications.provider_id = asked.provider and notification_id = asked.id
      join jobs on jobs.provider_id = notifications.provider_id and jobs.job_id = notifications.job_id
      join candidates using (candidate_id) ${ofOrganisation(sql`notifications.provider_id`)}
      join work on work.provider_id = asked.provider and work.kind = 'mail' and work.key = notifications.candidate_id::text
    where ${IS_UNDELIVERED} and ${stillHolds(now())} and work.claim is null and work.due_at > now()
      and ${IS_ATTEMPTED}`.execute(database.kysely);
  const codeOf = ({ hasFailed, isHeld, mailed }: Row): WaitCode => {
    if (hasFailed) return "mail_server";
    return isHeld || (perDay > 0 && mailed >= perDay) ? "daily_limit" : "offer_window";
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
