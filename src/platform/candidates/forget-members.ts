import { sql } from "kysely";
import { jsonRows, jsonTexts } from "../db/fragments.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../transaction.ts";
import { removePeople } from "./erase.ts";

/**
 * Removes what an organisation asserts about up to `most` people, and returns their number. Decision: a person whom only its registry named is
 * anonymous then, unless another organisation has booked the person. That is no erasure: another registry may name the person again.
 */
export async function forgetMembers(
  trx: Trx,
  deps: Pick<Deps, "now">,
  { providerId, most }: { providerId: string; most: number },
): Promise<number> {
  const { rows } = await sql<{ candidate_id: string }>`
    select candidate_id from candidates where candidate_id in (
      select candidate_id from memberships where provider_id = ${providerId} order by candidate_id limit ${most})
    order by candidate_id for update`.execute(trx);
  const members = sql`${jsonTexts(rows.map(({ candidate_id }) => candidate_id))} as member (id)`;
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
