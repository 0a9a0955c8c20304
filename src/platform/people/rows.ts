import { sql, type UpdateObject } from "kysely";
import type { Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../transaction.ts";
import { type Claim, markDue, PRIORITY } from "../work/rows.ts";

export type Columns = UpdateObject<Schema, "providerCandidates">;

/** Updates the person at the provider. A person who was erased during the call has no row. */
export async function update(trx: Trx, { providerId, key }: Claim, columns: Columns): Promise<void> {
  if (Object.keys(columns).length === 0) return;
  const rows = trx.updateTable("providerCandidates").set(columns);
  await rows.where("providerId", "=", providerId).where("candidateId", "=", key).execute();
}

/** Stores the person's id at the provider, and deletes the data that only a hire needs. */
export async function remember(trx: Trx, claim: Claim, providerCandidateId: string): Promise<void> {
  await sql`
    update provider_candidates set provider_candidate_id = ${providerCandidateId}, create_sent_at = null, idempotency_key = null, trouble = null,
      known_at = case when trouble ->> 'id' = ${providerCandidateId} then known_at else clock.at end
    from (select clock_timestamp() as at) as clock
    where provider_id = ${claim.providerId} and candidate_id = ${claim.key}`.execute(trx);
  // An UPDATE locks the whole table on a distributed database, even if it finds nothing.
  const { rows } = await sql`
    select 1 from candidates where candidate_id = ${claim.key} and hire is not null`.execute(trx);
  if (rows.length > 0)
    await sql`update candidates set hire = null where candidate_id = ${claim.key}`.execute(trx);
}

export interface Identify {
  providerId: string;
  candidateId: string;
  /** Drops the stored id, which the provider may no longer know. */
  forget: boolean;
  /** The person keeps the id if the look-up finds no other. */
  keep?: boolean;
}

/** Requests that the person is looked up at the provider, and created if missing. */
export async function markPersonDue(
  trx: Trx,
  deps: Pick<Deps, "wakeWorker">,
  { providerId, candidateId, forget, keep = false }: Identify,
): Promise<void> {
  const { numAffectedRows } = await sql`
    insert into provider_candidates (provider_id, candidate_id) values (${providerId}, ${candidateId})
    on conflict (provider_id, candidate_id) do nothing`.execute(trx);
  if (forget && numAffectedRows === 0n) await forgetId(trx, { providerId, candidateId, keep });
  const due = { providerId, kind: "person", key: candidateId, priority: PRIORITY.interactive } as const;
  markDue(trx, deps, [due]);
}

/** What depends on the clock is selected: a distributed database takes it in no other place. */
async function forgetId(
  trx: Trx,
  { providerId, candidateId, keep }: Required<Omit<Identify, "forget">>,
): Promise<void> {
  await sql`
    update provider_candidates set provider_candidate_id = null, trouble = forgotten.trouble
    from (select jsonb_strip_nulls(jsonb_build_object('kind', 'forgotten', 'since', now(), 'id',
        case when ${keep}::boolean then coalesce(provider_candidate_id, trouble ->> 'id') end)) as trouble
      from provider_candidates where provider_id = ${providerId} and candidate_id = ${candidateId} for update) as forgotten
    where provider_id = ${providerId} and candidate_id = ${candidateId}`.execute(trx);
}
