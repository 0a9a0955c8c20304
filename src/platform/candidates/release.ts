import { sql } from "kysely";
import { problem } from "../../contract/problem.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../transaction.ts";
import { lockCandidate } from "./candidate.ts";
import { EMAIL, FIRST_NAME, LAST_NAME, ofOrganisation, PHONE } from "./membership.ts";

/**
 * Makes what an organisation's registry asserts about a person the company's own, which is valid everywhere. Returns the person's competences.
 * @throws ProblemError candidate_not_found, also when the registry does not name the person.
 */
export async function release(
  trx: Trx,
  { now }: Pick<Deps, "now">,
  { candidateId, providerId }: { candidateId: string; providerId: string },
): Promise<string[]> {
  await lockCandidate(trx, candidateId);
  const { numAffectedRows } = await sql`
    update memberships set released_at = coalesce(released_at, ${now()})
    where provider_id = ${providerId} and candidate_id = ${candidateId}`.execute(trx);
  if (!numAffectedRows)
    throw problem("candidate_not_found", {
      detail: "The registry of this organisation does not name the candidate.",
    });
  await sql`
    update candidates set first_name = own.first_name, last_name = own.last_name, email = own.email, phone = own.phone,
      is_shared = true, updated_at = ${now()}
    from (select candidates.candidate_id, ${FIRST_NAME} as first_name, ${LAST_NAME} as last_name, ${EMAIL} as email, ${PHONE} as phone
      from candidates ${ofOrganisation(providerId)}
      where candidates.candidate_id = ${candidateId}) as own
    where candidates.candidate_id = own.candidate_id`.execute(trx);
  await sql`
    insert into candidate_competences (candidate_id, competence_id)
    select candidate_id, competence_id from membership_competences
    where provider_id = ${providerId} and candidate_id = ${candidateId}
    on conflict do nothing`.execute(trx);
  const rows = await trx
    .selectFrom("candidate_competences")
    .select("competence_id")
    .where("candidate_id", "=", candidateId)
    .execute();
  return rows.map(({ competence_id }) => competence_id);
}
