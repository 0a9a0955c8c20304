import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { IntegrationState } from "../../generated/operations/types.ts";
import type { WorkKind } from "../../src/platform/db/schema.ts";
import { transact } from "../../src/platform/transaction.ts";
import { type Claimed, claimWork, type Wanted } from "../../src/platform/work/claims.ts";
import { type Claim, type Due, markDue, PRIORITY } from "../../src/platform/work/rows.ts";
import type { TestDatabase } from "./engines.ts";

export const KINDS: readonly WorkKind[] = ["shift", "person", "probe", "check"];

/** An active organisation without a provider. */
export async function addIntegration(
  { kysely }: TestDatabase,
  rest: { state?: IntegrationState; pausedSince?: Date } = {},
): Promise<string> {
  const providerId = randomUUID();
  const row = { kind: "probe", name: "n", baseUrl: "https://example.com", providerToken: "t" };
  await kysely
    .insertInto("integrations")
    .values({ providerId, ...row, state: "active", ...rest })
    .execute();
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
