import { type Kysely, type RawBuilder, sql } from "kysely";
import { HOLDS_SEAT, idList, ROW_BY_ROW } from "../db/fragments.ts";
import type { Job, Schema } from "../db/schema.ts";

// Which people, and what of them, an organisation may use: what the company asserts is valid for every organisation, what a registry asserts for its own.

type Value = string | RawBuilder<unknown>;

/** Whether a person is valid for an organisation, over the table `candidates`. */
export const isValidFor = (providerId: Value): RawBuilder<boolean> => sql<boolean>`
  (candidates.is_shared or exists (select 1 from memberships
    where memberships.provider_id = ${providerId} and memberships.candidate_id = candidates.candidate_id ${ROW_BY_ROW}))`;

/** Whether a person has a competence, as far as an organisation is concerned. */
export const hasCompetence = (
  candidateId: RawBuilder<unknown>,
  providerId: Value,
  competenceId: Value | null,
): RawBuilder<boolean> => sql<boolean>`
  (exists (select 1 from candidate_competences as able
    where able.candidate_id = ${candidateId} and able.competence_id = ${competenceId} ${ROW_BY_ROW})
  or exists (select 1 from membership_competences as able where able.provider_id = ${providerId}
    and able.candidate_id = ${candidateId} and able.competence_id = ${competenceId} ${ROW_BY_ROW}))`;

/** The candidates who are valid for an organisation and have a competence, as a subquery with the column `candidate_id`. */
export const ablePeople = (providerId: Value, competenceId: Value | null): RawBuilder<unknown> => sql`
  (select candidate_id from candidate_competences as able
    where competence_id = ${competenceId} and exists (select 1 from candidates
      where candidates.candidate_id = able.candidate_id and ${isValidFor(providerId)} ${ROW_BY_ROW})
  union
  select candidate_id from membership_competences where provider_id = ${providerId} and competence_id = ${competenceId} ${ROW_BY_ROW})`;

/** Names and contact details as they are valid for an organisation, over `candidates` and, joined by `ofOrganisation`, `memberships`. */
export const FIRST_NAME = sql<string>`case when is_shared then candidates.first_name
  else coalesce(memberships.first_name, candidates.first_name) end`;
export const LAST_NAME = sql<string>`case when is_shared then candidates.last_name
  else coalesce(memberships.last_name, candidates.last_name) end`;
export const EMAIL = sql<string>`coalesce(nullif(candidates.email, ''), memberships.email, '')`;
export const PHONE = sql<string>`coalesce(nullif(candidates.phone, ''), memberships.phone, '')`;

/**
 * Many a mail server ignores case and what follows a plus. For limits only: mail goes to the address as it is. The at sign is `\x40`: traces hold statements,
 * and nothing with such a sign.
 */
export const mailboxOf = (address: RawBuilder<string>): RawBuilder<string> =>
  sql<string>`lower(regexp_replace(${address}, '\\+[^\\x40]*(?=\\x40)', ''))`;

export const ofOrganisation = (providerId: Value): RawBuilder<unknown> => sql`
  left join memberships on memberships.provider_id = ${providerId} and memberships.candidate_id = candidates.candidate_id`;

/** When a person works. */
export interface Busy {
  candidateId: string;
  jobId: string;
  from: Date;
  to: Date;
}

/**
 * When people work: on jobs on which they are booked, and on those to which a provider assigned them itself. No organisation may block the staff of
 * others: for their jobs, what happens at one that is active counts once its membership of the person is released. A booking of a person who is valid for all
 * also counts if an operator made it, or if no registry there names the person.
 *
 * A person works for several organisations, so on a distributed database a statement over it asks every worker, and reads nothing else. A copy of the
 * times on each worker would cost more: what changes such a copy waits for all other transactions that do.
 */
const BUSY_TIMES = sql`
  (select bookings.provider_id, bookings.candidate_id, job_id, start_time, end_time, booking_id, integrations.state = 'active'
      and is_shared
      and (released_at is not null or is_by_operator or memberships.candidate_id is null) as is_for_all
    from bookings join jobs using (provider_id, job_id) join integrations using (provider_id) join candidates using (candidate_id)
      left join memberships using (provider_id, candidate_id)
    where ${HOLDS_SEAT}
  union all
  select own_people.provider_id, own_people.candidate_id, job_id, start_time, end_time, null, integrations.state = 'active' and released_at is not null
    from own_people join jobs using (provider_id, job_id) join integrations using (provider_id)
      left join memberships using (provider_id, candidate_id)
    where jobs.status <> 'cancelled') as busy`;

type Given<T> = T | RawBuilder<unknown>;

/** Jobs that only touch do not overlap. */
const overlaps = (from: Given<Date>, to: Given<Date>) =>
  sql`busy.start_time < ${to} and busy.end_time > ${from}`;

const countsFor = (providerId: Given<string>) => sql`(busy.is_for_all or busy.provider_id = ${providerId})`;

/** Whether a candidate works at the given time, as far as an organisation is concerned. */
export const isBusy = (
  candidateId: Given<string>,
  providerId: Given<string>,
  from: Given<Date>,
  to: Given<Date>,
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
