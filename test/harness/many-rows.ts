import { randomUUID } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { AS_TEXT, columnsOf, quoted, readTables } from "../../src/platform/backup/to-postgres.ts";
import { type Database, openDatabase } from "../../src/platform/db/database.ts";
import type { Schema } from "../../src/platform/db/schema.ts";
import type { Vault } from "../../src/platform/deps.ts";
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

const ODD = 'line\nbreak\r\ttab \\ back\\n "quoted" \'single\' (a,b) {"c": null} åäö 𝄞 \u2028 \u0001';

/** Rows whose values are hard to copy: microseconds, nulls, empty texts, quotes, backslashes, line breaks, JSON. */
export async function addRows({ raw }: Database, vault: Vault, count = 3_000): Promise<string> {
  const providerId = randomUUID();
  await raw.executeSql(
    `insert into shiftpact.integrations (provider_id, kind, name, base_url, provider_token, dialect, state)
     values ($1, 'probe', $2, 'http://127.0.0.1:1', $3, $4, 'active')`,
    [providerId, ODD, vault.seal("a-provider-token"), JSON.stringify({ variant: "a", odd: ODD, n: 1e-7 })],
  );
  await raw.executeSql(
    `insert into shiftpact.workplaces (workplace_id, name, address, created_at)
     select gen_random_uuid(), case i when 1 then 'Ward 1' when 2 then '' else $1 || i end, case when i % 2 = 0 then null else 'NULL' end,
       '2026-03-29 00:59:59.123456+00'::timestamptz + i * interval '1 microsecond' from generate_series(1, $2::int) i`,
    [ODD, count],
  );
  await raw.executeSql(
    `insert into shiftpact.events (event_id, provider_id, event, shift_id, trace_id, status, verdict)
     select gen_random_uuid(), $1, 'shift.create', 'shift-' || i, 'trace ' || i, 'processed',
       case when i % 3 = 0 then null else jsonb_build_object('code', 'job_created', 'params', jsonb_build_object('text', $2::text, 'n', i / 7.0)) end
     from generate_series(1, $3::int) i`,
    [providerId, ODD, count],
  );
  return providerId;
}

/** The number of rows of every table, and a checksum of them. */
export const digestsOf = ({ raw }: Database) =>
  raw.alone(async (sql) => {
    await sql("begin");
    await sql(AS_TEXT);
    const found: Record<string, unknown> = {};
    for (const table of await readTables(sql)) {
      const { rows } =
        await sql(`select count(*)::int as rows, md5(string_agg(stored::text, '' order by stored::text)) as sum
        from (select ${columnsOf(table)} from shiftpact.${quoted(table.name)}) as stored`);
      found[table.name] = rows[0];
    }
    await sql("rollback");
    return found;
  });
