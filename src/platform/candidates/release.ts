import { type Selectable, sql } from "kysely";
import { problem } from "../../contract/problem.ts";
import type { CandidatesTable } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../transaction.ts";
import { lockCandidate } from "./candidate.ts";
import { EMAIL, FIRST_NAME, LAST_NAME, ofOrganisation, PHONE } from "./membership.ts";

type Asserted = Pick<Selectable<CandidatesTable>, "first_name" | "last_name" | "email" | "phone">;

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
  // A distributed database does not write people and read what an organisation asserts in one statement.
  const { rows: asserted } = await sql<Asserted>`
    select ${FIRST_NAME} as first_name, ${LAST_NAME} as last_name, ${EMAIL} as email, ${PHONE} as phone
    from candidates ${ofOrganisation(providerId)}
    where candidates.candidate_id = ${candidateId}`.execute(trx);
  await trx
    .updateTable("candidates")
    .set({ ...asserted[0], is_shared: true, updated_at: now() })
    .where("candidate_id", "=", candidateId)
    .execute();
  const able = await trx
    .selectFrom("membership_competences")
    .select(["candidate_id", "competence_id"])
    .where("provider_id", "=", providerId)
    .where("candidate_id", "=", candidateId)
    .execute();
  if (able.length > 0)
    await trx
      .insertInto("candidate_competences")
      .values(able)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  const rows = await trx
    .selectFrom("candidate_competences")
    .select("competence_id")
    .where("candidate_id", "=", candidateId)
    .execute();
  return rows.map(({ competence_id }) => competence_id);
}
