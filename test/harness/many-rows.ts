import { randomUUID } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { openDatabase } from "../../src/platform/db/database.ts";
import type { Schema } from "../../src/platform/db/schema.ts";
import { silent } from "./engines.ts";
import type { Organisation } from "./organisation.ts";

/** Inserts rows into the database of a running platform: one that ran for months, without the months. */
export async function inDatabase(
  location: Omit<Parameters<typeof openDatabase>[0], "log">,
  insert: (kysely: Kysely<Schema>) => Promise<void>,
): Promise<void> {
  const database = await openDatabase({ ...location, log: silent });
  try {
    await insert(database.kysely);
  } finally {
    await database.close();
  }
}

type Owner = Pick<Organisation, "providerId" | "competenceId" | "workplaceId">;

interface ManyJobs {
  count: number;
  /** Of the job that was created last; each one before starts an hour later, so that the newest is the most urgent. */
  firstStart: string;
  status?: string;
  /** Each at an outlet of its own. */
  areApart?: boolean;
}

/** Inserts jobs without shifts: the lists read the table alone. The job that is created last starts first. */
export async function insertJobs(
  kysely: Kysely<Schema>,
  { providerId, competenceId, workplaceId }: Owner,
  { count, firstStart, status = "open", areApart = false }: ManyJobs,
): Promise<void> {
  const prefix = randomUUID().slice(0, -12);
  await sql`
    insert into jobs (provider_id, job_id, shift_id, status, variant, start_time, end_time, positions,
      outlet_id, outlet_name, role_id, role_name, workplace_id, competence_id, trace_id)
    select ${providerId}::uuid, (${prefix}::text || lpad(to_hex(nth), 12, '0'))::uuid, ${prefix}::text || nth, ${status}::text,
      'a', at, at + interval '8 hours', 1, 'outlet' || place, 'Kajen' || place, 'role', 'Cook', ${workplaceId}::uuid, ${competenceId}::uuid, 'trace'
    from generate_series(1, ${count}::integer) as nth
      cross join lateral (select ${firstStart}::timestamptz + (${count}::integer - nth) * interval '1 hour' as at) as start
      cross join lateral (select case when ${areApart} then ' ' || nth else '' end as place) as named`.execute(
    kysely,
  );
}

/** Inserts people named `Person 1` and so on, with the competence and the personal number of a person who exists. The first is the newest. */
export async function insertPeople(
  kysely: Kysely<Schema>,
  { competenceId }: Pick<Owner, "competenceId">,
  { candidateId, count }: { candidateId: string; count: number },
): Promise<void> {
  const prefix = "ffffffff-ffff-7fff-8fff-";
  await sql`
    insert into candidates (candidate_id, personal_number_sealed, first_name, last_name, email, phone)
    select (${prefix}::text || lpad(to_hex(${count}::integer - nth), 12, '0'))::uuid, personal_number_sealed,
      'Person', nth::text, email, phone
    from candidates cross join generate_series(1, ${count}::integer) as nth where candidate_id = ${candidateId}`.execute(
    kysely,
  );
  await sql`
    insert into candidate_competences (candidate_id, competence_id)
    select candidate_id, ${competenceId}::uuid from candidates where candidate_id::text like ${prefix}::text || '%'`.execute(
    kysely,
  );
}
