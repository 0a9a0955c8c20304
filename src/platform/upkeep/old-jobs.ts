import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { jsonRows } from "../db/fragments.ts";
import { isOf, type Organisation, organisationsWith, providerOf } from "../db/organisation.ts";

/** Tables whose rows belong to a job and are deleted before it. */
const TABLES = ["notifications", "declines", "bookings", "own_people", "shift_changes"] as const;

/**
 * Deletes up to `most` jobs whose shift ended before `before`, with everything that belongs to them. Returns their number. A job with a pending
 * booking, a booking in doubt, or scheduled work stays.
 */
export async function deleteJobs(
  database: Pick<Database, "kysely" | "isDistributed">,
  before: Date,
  most: number,
): Promise<number> {
  let deleted = 0;
  for (const organisation of await organisationsWith(database, "jobs", sql`end_time < ${before}`))
    deleted += await deleteSome(database.kysely, organisation, before, most);
  return deleted;
}

function deleteSome(
  kysely: Database["kysely"],
  organisation: Organisation,
  before: Date,
  most: number,
): Promise<number> {
  const provider = providerOf(organisation, "old.provider_id");
  return kysely.transaction().execute(async (trx) => {
    const { rows } = await sql<{ keys: object[] }>`
      select coalesce(json_agg(json_build_object('provider_id', provider_id, 'job_id', job_id, 'shift_id', shift_id)), '[]') as keys
      from (select provider_id, job_id, shift_id from jobs
        where ${isOf(organisation)} start_time < ${before} and end_time < ${before}
          and not exists (select 1 from bookings where bookings.provider_id = jobs.provider_id and bookings.job_id = jobs.job_id
            and (status = 'pending' or at_provider = 'maybe'))
          and not exists (select 1 from work where work.provider_id = jobs.provider_id and kind = 'shift' and key = jobs.shift_id)
        order by start_time limit ${most} for update skip locked) as old`.execute(trx);
    const old = sql`${jsonRows(rows[0]?.keys ?? [])} as old (provider_id uuid, job_id uuid, shift_id text)`;
    for (const table of TABLES) {
      await sql`delete from ${sql.table(table)} as part using ${old}
        where part.provider_id = ${provider} and part.job_id = old.job_id`.execute(trx);
    }
    const { numAffectedRows } = await sql`delete from jobs using ${old}
      where jobs.provider_id = ${provider} and jobs.job_id = old.job_id`.execute(trx);
    await sql`delete from shifts using ${old}
      where shifts.provider_id = ${provider} and shifts.shift_id = old.shift_id and next_read_at is null
        and not exists (select 1 from jobs where jobs.provider_id = shifts.provider_id and jobs.shift_id = shifts.shift_id)`.execute(
      trx,
    );
    return Number(numAffectedRows ?? 0);
  });
}
