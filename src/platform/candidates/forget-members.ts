import { sql } from "kysely";
import { jsonRows, jsonTexts } from "../db/fragments.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../transaction.ts";
import { lockPeople } from "./candidate.ts";
import { awaitReferences, removePeople } from "./erase.ts";

/**
 * Removes what an organisation asserts about people, up to `most` of them, and returns their number. Decision: a person whom only its registry named is
 * anonymous then, unless another organisation has booked the person. That is no erasure: another registry may name the person again.
 */
export async function forgetMembers(
  trx: Trx,
  deps: Pick<Deps, "now">,
  { providerId, most = null }: { providerId: string; most?: number | null },
): Promise<number> {
  const { rows } = await sql<{ candidate_id: string; hash: string | null }>`
    select candidate_id, personal_number_hash as hash from memberships join candidates using (candidate_id)
    where provider_id = ${providerId} order by candidate_id limit ${most}::int`.execute(trx);
  if (rows.length === 0) return 0;
  const candidateIds = rows.map(({ candidate_id }) => candidate_id);
  await lockPeople(rows.flatMap(({ hash }) => hash ?? [])).execute(trx);
  await awaitReferences(trx, candidateIds);
  const members = sql`${jsonTexts(candidateIds)} as member (id)`;
  await sql`
    delete from memberships using ${members}
    where provider_id = ${providerId} and candidate_id = member.id::uuid`.execute(trx);
  // Of each person, what the first of the other registries asserts. A distributed database does not write people and read that in one statement.
  const isConcerned = sql`candidate_id in (select id::uuid from ${members})`;
  const { rows: named } = await sql<{ candidate_id: string; first_name: string; last_name: string }>`
    select distinct on (candidate_id) candidate_id, first_name, last_name from memberships where ${isConcerned}
    order by candidate_id, created_at, provider_id`.execute(trx);
  await sql`
    update candidates set first_name = other.first_name, last_name = other.last_name
    from ${jsonRows(named)} as other (candidate_id uuid, first_name text, last_name text)
    where candidates.candidate_id = other.candidate_id and not is_shared`.execute(trx);
  const { rows: booked } = await sql<{ candidate_id: string }>`
    select distinct candidate_id from bookings where ${isConcerned} and provider_id <> ${providerId}`.execute(
    trx,
  );
  const known = new Set([...named, ...booked].map(({ candidate_id }) => candidate_id));
  const { rows: registered } = await sql<{ candidate_id: string }>`
    select candidate_id from candidates where ${isConcerned} and not is_shared and erased_at is null`.execute(
    trx,
  );
  const unknown = registered.map(({ candidate_id }) => candidate_id).filter((id) => !known.has(id));
  if (unknown.length > 0) await removePeople(trx, deps, unknown);
  return rows.length;
}
