import { sql } from "kysely";
import { jsonTexts } from "../db/fragments.ts";
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
  await sql`
    update candidates set first_name = other.first_name, last_name = other.last_name
    from ${members} cross join lateral (select first_name, last_name from memberships
      where memberships.candidate_id = member.id::uuid order by created_at, provider_id limit 1) as other
    where candidates.candidate_id = member.id::uuid and not is_shared`.execute(trx);
  const { rows: unknown } = await sql<{ candidate_id: string }>`
    select candidate_id from candidates join ${members} on candidates.candidate_id = member.id::uuid
    where not is_shared and erased_at is null
      and not exists (select from memberships where memberships.candidate_id = candidates.candidate_id)
      and not exists (select from bookings where bookings.candidate_id = candidates.candidate_id and provider_id <> ${providerId})`.execute(
    trx,
  );
  if (unknown.length > 0)
    await removePeople(
      trx,
      deps,
      unknown.map(({ candidate_id }) => candidate_id),
    );
  return rows.length;
}
