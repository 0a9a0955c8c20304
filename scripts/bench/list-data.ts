import { randomUUID } from "node:crypto";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Schema } from "../../src/platform/db/schema.ts";
import { insertPeople } from "../../test/harness/many-rows.ts";
import { storeEvents } from "../../test/harness/stored-events.ts";

/** How many of each the console has to show. */
export interface Sizes {
  jobs: number;
  people: number;
  outlets: number;
}

/** What exists already: an organisation with a job, and a person who was offered it. */
export interface Owner {
  providerId: string;
  competenceId: string;
  candidateId: string;
}

type Db = Kysely<Schema>;

/** Of five outlets, this many are mapped. */
const MAPPED = 4;

/** An id in the order of `nth` (UUIDv7, RFC 9562), as the platform makes them. */
const idOf = (
  nth: RawBuilder<unknown>,
) => sql`(lpad(to_hex((extract(epoch from now() - interval '1 day') * 1000)::bigint + ${nth}), 12, '0')
  || '7000' || '8000' || lpad(to_hex(${nth}), 12, '0'))::uuid`;

const NTH = sql`nth`;
const numbers = (count: number) => sql`generate_series(1, ${count}::integer) as nth`;

/** Each place has a few streets, and each street many numbers. */
const NAME = sql`(array['Södermalm', 'Kungsholmen', 'Östermalm', 'Vasastan', 'Hammarby', 'Gamla stan', 'Kista', 'Solna'])[1 + nth % 8]
  || ' ' || lpad(nth::text, 5, '0')`;

/** Stores what the lists show: what the platform would have stored of an organisation with as many outlets. */
export async function fillLists({ kysely }: { kysely: Db }, owner: Owner, sizes: Sizes): Promise<void> {
  await insertPeople(kysely, owner, { candidateId: owner.candidateId, count: sizes.people });
  await addOutlets(kysely, owner, sizes);
  await addJobs(kysely, owner, sizes);
  await addBookings(kysely, owner);
  await addIssues(kysely);
  await addOrganisations(kysely, owner);
  await addRecords(kysely, sizes.jobs);
  await storeEvents({ kysely } as Parameters<typeof storeEvents>[0], sizes.jobs);
  await sql`vacuum (analyze)`.execute(kysely);
}

async function addOutlets(kysely: Db, { providerId }: Owner, { outlets }: Sizes): Promise<void> {
  await sql`insert into workplaces (workplace_id, name, address)
    select ${idOf(NTH)}, ${NAME}, 'Storgatan ' || nth from ${numbers(outlets)} where nth % 5 < ${MAPPED}::int`.execute(
    kysely,
  );
  await sql`insert into outlets (provider_id, outlet_id, name, address, workplace_id)
    select ${providerId}::uuid, gen_random_uuid()::text, ${NAME}, 'Storgatan ' || nth, workplace_id
    from ${numbers(outlets)} left join workplaces on workplaces.name = ${NAME}`.execute(kysely);
}

/** In the next 90 days, but for every tenth, which is over or cancelled. */
async function addJobs(kysely: Db, { providerId, competenceId }: Owner, { jobs }: Sizes): Promise<void> {
  await sql`
    insert into jobs (provider_id, job_id, shift_id, status, cancelled_by, variant, start_time, end_time, positions,
      outlet_id, outlet_name, role_id, role_name, workplace_id, competence_id, trace_id)
    select provider_id, ${idOf(NTH)}, gen_random_uuid()::text,
      case when nth % 20 = 0 then 'expired' when nth % 20 = 10 then 'cancelled' when workplace_id is null then 'blocked_mapping'
        when nth % 3 = 0 then 'filled' else 'open' end,
      case when nth % 20 = 10 then 'provider' end, 'a', at, at + interval '8 hours', 1 + nth % 3,
      outlet_id, name, role_id, role_name, workplace_id, ${competenceId}::uuid, gen_random_uuid()::text
    from ${numbers(jobs)}
      join (select *, row_number() over (order by name) as place, count(*) over () as places from outlets
        where provider_id = ${providerId}::uuid) as placed on place = 1 + nth % places
      cross join (select role_id, name as role_name from roles where provider_id = ${providerId}::uuid limit 1) as role
      cross join lateral (select date_trunc('hour', now()) + interval '1 hour' * (case when nth % 10 = 0 then -24 - nth % 700
        else 1 + (nth * 7919) % 2160 end) as at) as start`.execute(kysely);
  await sql`insert into shifts (provider_id, shift_id, next_read_at)
    select provider_id, shift_id, now() + interval '1 day' from jobs on conflict do nothing`.execute(kysely);
}

/** A person on each filled job, and an offer of each open one. */
async function addBookings(kysely: Db, { providerId }: Owner): Promise<void> {
  const placed = (status: string) => sql`
    (select *, row_number() over (order by job_id) as place from jobs where provider_id = ${providerId}::uuid and status = ${status}::text) as jobs
    join (select candidate_id, row_number() over (order by candidate_id) as place from candidates) as people using (place)`;
  await sql`
    insert into bookings (provider_id, booking_id, job_id, candidate_id, provider_candidate_id, status, at_provider, sent_at, trace_id)
    select provider_id, gen_random_uuid(), job_id, candidate_id, gen_random_uuid()::text, 'confirmed', 'yes', now(), trace_id
    from ${placed("filled")}`.execute(kysely);
  await sql`
    insert into notifications (provider_id, notification_id, candidate_id, job_id, kind, change_key, content, trace_id)
    select jobs.provider_id, gen_random_uuid(), candidate_id, jobs.job_id, kind, change_key, content, jobs.trace_id
    from ${placed("open")} cross join (select kind, change_key, content from notifications where kind = 'job_offered' limit 1) as offer`.execute(
    kysely,
  );
}

/** One of each outlet that is not mapped, and of each hundredth job. */
async function addIssues(kysely: Db): Promise<void> {
  await sql`
    insert into issues (provider_id, issue_id, code, subject, params)
    select provider_id, gen_random_uuid(), 'outlet_not_mapped', jsonb_build_object('kind', 'outlet', 'outletId', outlet_id),
      jsonb_build_object('outletId', outlet_id) from outlets where workplace_id is null
    union all
    select provider_id, gen_random_uuid(), 'shift_overfilled', jsonb_build_object('kind', 'shift', 'shiftId', shift_id), '{}' from jobs
      where ('x' || right(job_id::text, 6))::bit(24)::int % 100 = 1`.execute(kysely);
}

const ORGANISATIONS = 300;

async function addOrganisations(kysely: Db, { providerId }: Owner): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute where attrelid = 'integrations'::regclass and attnum > 0 and not attisdropped
      and attname not in ('provider_id', 'name', 'state')`.execute(kysely);
  const copied = sql.join(rows.map(({ name }) => sql.ref(name)));
  await sql`
    insert into integrations (provider_id, name, state, ${copied})
    select gen_random_uuid(), 'Organisation ' || nth, case when nth % 3 = 0 then 'draft' else 'suspended' end, ${copied}
    from integrations, ${numbers(ORGANISATIONS)} where provider_id = ${providerId}::uuid`.execute(kysely);
  await sql`
    insert into outlets (provider_id, outlet_id, name)
    select provider_id, gen_random_uuid()::text, 'Kajen' from integrations, ${numbers(3)} where state = 'draft'`.execute(
    kysely,
  );
}

/** What operators did, and what was refused. */
async function addRecords(kysely: Db, count: number): Promise<void> {
  const nowhere = randomUUID();
  await sql`
    insert into audit (audit_id, at, operator_name, address, operation, subjects, changes)
    select ${idOf(NTH)}, now() - (${count}::integer - nth) * interval '1 minute', 'Operator ' || nth % 20, '127.0.0.1',
      'changeCandidate', jsonb_build_object('candidateId', candidate_id), '[{"field": "hire", "before": "temporary", "after": "permanent"}]'
    from (select candidate_id, row_number() over (order by candidate_id) as nth from candidates) as people
    where nth <= ${count}::integer`.execute(kysely);
  await sql`
    insert into rejected_webhooks (provider_id, rejection_id, hour, code, pointer, count, last_at)
    select ${nowhere}::uuid, ${idOf(NTH)}, at, 'unauthorized', '', nth, at
    from ${numbers(count)} cross join lateral (select date_trunc('hour', now()) - nth * interval '1 hour' as at) as hours`.execute(
    kysely,
  );
}
