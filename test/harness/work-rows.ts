import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { IntegrationState } from "../../generated/operations/types.ts";
import type { Database } from "../../src/platform/db/database.ts";
import type { ConditionCode, WorkKind } from "../../src/platform/db/schema.ts";
import { transact } from "../../src/platform/transaction.ts";
import { type Claimed, claimWork, type Wanted } from "../../src/platform/work/claims.ts";
import { type Claim, type Due, markDue, PRIORITY } from "../../src/platform/work/rows.ts";
import type { TestDatabase } from "./engines.ts";

export const KINDS: readonly WorkKind[] = ["shift", "person", "probe", "check"];

/** An active organisation without a provider. */
export async function addIntegration(
  { kysely }: TestDatabase,
  rest: { state?: IntegrationState } = {},
  condition?: ConditionCode,
): Promise<string> {
  const providerId = randomUUID();
  const row = { kind: "probe", name: "n", baseUrl: "https://example.com", providerToken: "t" };
  await kysely
    .insertInto("integrations")
    .values({ providerId, ...row, state: "active", ...rest })
    .execute();
  const held = { providerId, code: condition ?? "", since: new Date() };
  if (condition) await kysely.insertInto("conditions").values(held).execute();
  return providerId;
}

export const shift = (providerId: string, key: string, rest: Partial<Due> = {}): Due => ({
  providerId,
  kind: "shift",
  key,
  priority: PRIORITY.event,
  ...rest,
});

export const mark = (database: TestDatabase, ...due: Due[]): Promise<void> =>
  transact({ database }, (trx) => markDue(trx, { wakeWorker: () => undefined }, due));

/** Claims at all organisations unless others are given. */
export async function claim(database: TestDatabase, rest: Partial<Wanted> = {}): Promise<Claim[]> {
  return (await claimed(database, rest)).claims;
}

export async function claimed(database: TestDatabase, rest: Partial<Wanted> = {}): Promise<Claimed> {
  const all = await database.kysely.selectFrom("integrations").select("providerId").execute();
  const providers = all.map(({ providerId }) => providerId);
  const wanted = { kinds: KINDS, places: 100, providers, perProvider: 100, claim: randomUUID() };
  return claimWork(database, { ...wanted, ...rest });
}

/** `key priority attempts`, and `claimed` or when it is due in seconds, by key. */
export async function rowsOf({ kysely }: TestDatabase) {
  const { rows } = await sql<{
    key: string;
    priority: number;
    attempts: number;
    claimed: boolean;
    dueIn: number;
  }>`
    select key, priority, attempts, claim is not null as claimed, extract(epoch from due_at - now())::float8 as "dueIn"
    from work order by key`.execute(kysely);
  return rows;
}

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
