import { sql } from "kysely";
import { HOLDS_SEAT, idList } from "../db/fragments.ts";
import type { Trx } from "../transaction.ts";

/** When a person works. */
export interface Busy {
  candidateId: string;
  jobId: string;
  from: Date;
  to: Date;
}

// What crosses organisations: a person works for several. These statements ask every worker of a distributed database.

/** Returns the bookings that the people have at any organisation and that overlap the time. */
export async function findBooked(
  trx: Trx,
  candidateIds: readonly string[],
  from: Date,
  to: Date,
): Promise<Busy[]> {
  if (candidateIds.length === 0) return [];
  const { rows } = await sql<Busy>`
    select bookings.candidate_id as "candidateId", job_id as "jobId", start_time as "from", end_time as "to"
    from bookings join jobs using (provider_id, job_id)
    where bookings.candidate_id = any (${idList(candidateIds)}) and ${HOLDS_SEAT} and start_time < ${to} and end_time > ${from}
    order by booking_id`.execute(trx);
  return rows;
}

/** The same for jobs to which a provider assigned them itself, as far as `isBusy` counts them for an organisation. */
export async function findAssigned(
  trx: Trx,
  providerId: string,
  candidateIds: readonly string[],
  from: Date,
  to: Date,
): Promise<Busy[]> {
  if (candidateIds.length === 0) return [];
  const { rows } = await sql<Busy>`
    select own_people.candidate_id as "candidateId", job_id as "jobId", start_time as "from", end_time as "to"
    from own_people join jobs using (provider_id, job_id) left join memberships using (provider_id, candidate_id)
    where own_people.candidate_id = any (${idList(candidateIds)}) and jobs.status <> 'cancelled'
      and (own_people.provider_id = ${providerId} or released_at is not null)
      and start_time < ${to} and end_time > ${from}`.execute(trx);
  return rows;
}
