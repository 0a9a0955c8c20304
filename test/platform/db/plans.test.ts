import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isOnCitus } from "../../harness/citus.ts";
import { startEngine, type TestDatabase } from "../../harness/engines.ts";
import { storeEvents } from "../../harness/work-rows.ts";
import { type Plan, plansOf } from "./query-plans.ts";

const EVENTS = 20_000;
/** So many that PostgreSQL 18 gains nothing by skipping from one to the next in an index that begins with the provider. */
const PROVIDERS = 1_000;

// On Citus the coordinator shows no index: the worker chooses it.
describe.skipIf(isOnCitus)("the plan of", () => {
  let database: TestDatabase;
  const providerId = randomUUID();
  const queries = async () => reading(await plansOf(database, providerId));
  beforeAll(async () => {
    database = await startEngine("postgres");
    await sql`
      insert into integrations (provider_id, kind, name, base_url, provider_token, state)
      select case n when 1 then ${providerId}::uuid else gen_random_uuid() end,
        'tempo', 'Kvarteret', 'https://provider.example', 'sealed', 'active'
      from generate_series(1, ${PROVIDERS}::int) as n`.execute(database.kysely);
    await storeEvents(database, EVENTS);
    await storeJobs(database);
  });
  afterAll(() => database.drop());

  it("a frequent query, or a page of a list, reads few rows", async () => {
    expect(await queries()).toEqual([]);
  });

  it("a query whose index is gone shows that it reads the whole table", async () => {
    await database.raw.executeSql(`
      alter table shiftpact.events drop constraint events_pkey;
      drop index shiftpact.events_status;
      create unique index on shiftpact.events (event, trace_id, provider_id, shift_id)`);
    expect(await queries()).toEqual([
      "GET /events?providerId=",
      "GET /events?providerId=&shiftId=",
      "GET /events?shiftId=",
      "metrics, of events",
    ]);
  });
});

/** It may read all events before it finds that no event matches: an index that prevents this would cost each webhook. */
const LONG = "GET /events?providerId=, one that sent none";

/** The other queries that read a considerable part of a table. */
const reading = (plans: readonly Plan[]): string[] =>
  plans.filter(({ what, rowsRead }) => what !== LONG && rowsRead > EVENTS / 10).map(({ what }) => what);

/** One for each event, with a notification. */
async function storeJobs({ kysely, raw }: TestDatabase): Promise<void> {
  await sql`
    with candidate as (
      insert into candidates (candidate_id, first_name, last_name, email, phone)
      select gen_random_uuid(), 'Kim', 'Ek', 'kim@example.com', '+46701740606'
      from generate_series(1, 200) as n returning candidate_id),
    numbered as (select array_agg(candidate_id) as ids from candidate),
    job as (
      insert into jobs (job_id, provider_id, shift_id, status, variant, start_time, end_time, positions, outlet_id, role_id, trace_id)
      select event_id, provider_id, shift_id, 'expired', 'a', received_at, received_at + interval '8 hours', 1, 'o', 'r', trace_id
      from events returning provider_id, job_id, trace_id, start_time)
    insert into notifications (notification_id, provider_id, candidate_id, job_id, kind, change_key, content, trace_id, channel, delivered_at)
    select job_id, provider_id, ids[1 + (extract(epoch from start_time) * 1000)::bigint % 200], job_id, 'offer', '', '{}', trace_id, 'email', now()
    from job, numbered`.execute(kysely);
  await raw.executeSql("vacuum (analyze) shiftpact.jobs");
  await raw.executeSql("vacuum (analyze) shiftpact.notifications");
}
