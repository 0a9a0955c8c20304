import { type Kysely, type RawBuilder, sql } from "kysely";
import { HOLDS_SEAT, jsonTexts, ROW_BY_ROW } from "../db/fragments.ts";
import type { Job, Schema } from "../db/schema.ts";

/** Whether a candidate has an offer of the job that was not withdrawn. */
export const hasOffer = (
  candidateId: RawBuilder<unknown>,
  { provider_id, job_id }: Pick<Job, "provider_id" | "job_id">,
): RawBuilder<boolean> => sql<boolean>`
  exists (select 1 from notifications where notifications.provider_id = ${provider_id}
    and notifications.job_id = ${job_id} and notifications.candidate_id = ${candidateId}
    and kind = 'job_offered' and withdrawn_at is null)`;

/**
 * Whether a candidate is booked on a job that overlaps the given time, or was assigned to one by the provider itself. The latter counts for the
 * provider's own jobs only, until an operator has released the membership: its lists must not block the staff of others. Jobs that only touch do not overlap. `candidateId` is a column or a value.
 */
export const isBusy = (
  candidateId: RawBuilder<unknown>,
  providerId: string | RawBuilder<unknown>,
  from: Date | RawBuilder<unknown>,
  to: Date | RawBuilder<unknown>,
): RawBuilder<boolean> => sql<boolean>`
  (exists (select 1 from bookings join jobs using (provider_id, job_id)
    where bookings.candidate_id = ${candidateId} and ${HOLDS_SEAT}
      and jobs.start_time < ${to} and jobs.end_time > ${from} ${ROW_BY_ROW})
  or exists (select 1 from own_people join jobs using (provider_id, job_id)
    where own_people.candidate_id = ${candidateId} and jobs.status <> 'cancelled'
      and (own_people.provider_id = ${providerId} or exists (select 1 from memberships
        where memberships.provider_id = own_people.provider_id and memberships.candidate_id = own_people.candidate_id
          and released_at is not null ${ROW_BY_ROW}))
      and jobs.start_time < ${to} and jobs.end_time > ${from} ${ROW_BY_ROW}))`;

/**
 * Returns which of these candidates are busy during a job, as `isBusy` decides. A statement of its own, because it reads the bookings of every
 * organisation: beside the rows of one, a distributed database refuses it.
 */
export async function readBusy(
  db: Kysely<Schema>,
  candidateIds: readonly string[],
  { provider_id, start_time, end_time }: Pick<Job, "provider_id" | "start_time" | "end_time">,
): Promise<ReadonlySet<string>> {
  if (candidateIds.length === 0) return new Set();
  const isAsked = sql`candidate_id in (select id::uuid from ${jsonTexts(candidateIds)} as asked (id))`;
  const overlaps = sql`jobs.start_time < ${end_time} and jobs.end_time > ${start_time}`;
  const { rows } = await sql<{ candidate_id: string }>`
    select candidate_id from bookings join jobs using (provider_id, job_id)
    where bookings.${isAsked} and ${HOLDS_SEAT} and ${overlaps}
    union
    select candidate_id from own_people join jobs using (provider_id, job_id)
      left join memberships using (provider_id, candidate_id)
    where own_people.${isAsked} and jobs.status <> 'cancelled' and ${overlaps}
      and (own_people.provider_id = ${provider_id} or released_at is not null)`.execute(db);
  return new Set(rows.map(({ candidate_id }) => candidate_id));
}

/** Whether the provider has assigned a candidate to the job itself. */
export const isOwnPerson = (
  candidateId: RawBuilder<unknown>,
  { provider_id, job_id }: Pick<Job, "provider_id" | "job_id">,
): RawBuilder<boolean> => sql<boolean>`
  exists (select 1 from own_people where own_people.provider_id = ${provider_id} and own_people.job_id = ${job_id}
    and own_people.candidate_id = ${candidateId})`;
