import { type Kysely, type RawBuilder, sql } from "kysely";
import { HOLDS_SEAT, idList, ROW_BY_ROW } from "../db/fragments.ts";
import type { Job, Schema } from "../db/schema.ts";

/** When a person works. */
export interface Busy {
  candidateId: string;
  jobId: string;
  from: Date;
  to: Date;
}

/**
 * When people work: on jobs on which they are booked, and on those to which a provider assigned them itself. For the jobs of others, bookings count
 * once an operator has vouched for the person, and a provider's assignments once its membership is released: neither may block the staff of others before.
 *
 * A person works for several organisations, so on a distributed database a statement over it asks every worker, and reads nothing else. A copy of the
 * times on each worker would cost more: what changes such a copy waits for all other transactions that do.
 */
const BUSY_TIMES = sql`
  (select bookings.provider_id, bookings.candidate_id, job_id, start_time, end_time, booking_id, is_shared as is_for_all
    from bookings join jobs using (provider_id, job_id) join candidates using (candidate_id) where ${HOLDS_SEAT}
  union all
  select own_people.provider_id, own_people.candidate_id, job_id, start_time, end_time, null, released_at is not null
    from own_people join jobs using (provider_id, job_id) left join memberships using (provider_id, candidate_id)
    where jobs.status <> 'cancelled') as busy`;

type Value<T> = T | RawBuilder<unknown>;

/** Jobs that only touch do not overlap. */
const overlaps = (from: Value<Date>, to: Value<Date>) =>
  sql`busy.start_time < ${to} and busy.end_time > ${from}`;

const countsFor = (providerId: Value<string>) => sql`(busy.is_for_all or busy.provider_id = ${providerId})`;

/** Whether a candidate works at the given time, as far as an organisation is concerned. */
export const isBusy = (
  candidateId: Value<string>,
  providerId: Value<string>,
  from: Value<Date>,
  to: Value<Date>,
): RawBuilder<boolean> => sql<boolean>`
  exists (select 1 from ${BUSY_TIMES} where busy.candidate_id = ${candidateId}
    and ${countsFor(providerId)} and ${overlaps(from, to)} ${ROW_BY_ROW})`;

/** Returns when the people work at the given time, as `isBusy` decides. */
export const findBusy = (
  db: Kysely<Schema>,
  providerId: string,
  candidateIds: readonly string[],
  from: Date,
  to: Date,
): Promise<Busy[]> => find(db, candidateIds, from, to, countsFor(providerId));

/** Returns those of these times that are bookings. */
export const findBooked = (
  db: Kysely<Schema>,
  providerId: string,
  candidateIds: readonly string[],
  from: Date,
  to: Date,
): Promise<Busy[]> =>
  find(db, candidateIds, from, to, sql`busy.booking_id is not null and ${countsFor(providerId)}`);

async function find(
  db: Kysely<Schema>,
  candidateIds: readonly string[],
  from: Date,
  to: Date,
  condition: RawBuilder<unknown>,
): Promise<Busy[]> {
  if (candidateIds.length === 0) return [];
  const { rows } = await sql<Busy>`
    select candidate_id, job_id, start_time as "from", end_time as "to" from ${BUSY_TIMES}
    where candidate_id = any (${idList(candidateIds)}) and ${condition} and ${overlaps(from, to)}
    order by booking_id`.execute(db);
  return rows;
}

/** Returns which of the candidates work during a job. */
export async function readBusy(
  db: Kysely<Schema>,
  candidateIds: readonly string[],
  { providerId, startTime, endTime }: Pick<Job, "providerId" | "startTime" | "endTime">,
): Promise<ReadonlySet<string>> {
  const busy = await findBusy(db, providerId, candidateIds, startTime, endTime);
  return new Set(busy.map(({ candidateId }) => candidateId));
}

/** Whether a candidate has an offer of the job that was not withdrawn. */
export const hasOffer = (
  candidateId: RawBuilder<unknown>,
  { providerId, jobId }: Pick<Job, "providerId" | "jobId">,
): RawBuilder<boolean> => sql<boolean>`
  exists (select 1 from notifications where notifications.provider_id = ${providerId}
    and notifications.job_id = ${jobId} and notifications.candidate_id = ${candidateId}
    and kind = 'job_offered' and withdrawn_at is null)`;

/** Whether the provider has assigned a candidate to the job itself. */
export const isOwnPerson = (
  candidateId: RawBuilder<unknown>,
  { providerId, jobId }: Pick<Job, "providerId" | "jobId">,
): RawBuilder<boolean> => sql<boolean>`
  exists (select 1 from own_people where own_people.provider_id = ${providerId} and own_people.job_id = ${jobId}
    and own_people.candidate_id = ${candidateId})`;
