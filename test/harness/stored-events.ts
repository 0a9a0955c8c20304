import { sql } from "kysely";
import type { Database } from "../../src/platform/db/database.ts";

/** Rows of one statement. */
const CHUNK = 100_000;

/** Stores this many events of the last twenty days, and runs the maintenance that follows such a load automatically. */
export async function storeEvents({ kysely }: Database, count: number): Promise<void> {
  for (let from = 1; from <= count; from += CHUNK) {
    await storeChunk(kysely, { count, from, to: Math.min(count, from + CHUNK - 1) });
  }
  await sql`vacuum (analyze) events`.execute(kysely);
  await sql`checkpoint`.execute(kysely);
}

async function storeChunk(
  kysely: Database["kysely"],
  { count, from, to }: { count: number; from: number; to: number },
): Promise<void> {
  await sql`
    insert into events (event_id, provider_id, event, shift_id, trace_id, status, attempts, verdict,
      received_at, processed_at)
    select
      (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid,
      owners.ids[1 + n % cardinality(owners.ids)], (array['shift.create', 'shift.update', 'shift.update'])[1 + n % 3],
      gen_random_uuid(), gen_random_uuid(), 'processed', 1,
      '{"code": "job_created", "params": {"jobStatus": "open"}}', at, at
    from (select array_agg(provider_id) as ids from integrations) as owners,
      lateral (select n, now() - interval '20 days' * (1 - n::float8 / ${count}::int) as at
        from generate_series(${from}::int, ${to}::int) as n) as numbered`.execute(kysely);
}
