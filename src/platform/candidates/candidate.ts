import type { Kysely, Selectable } from "kysely";
import { problem } from "../../contract/problem.ts";
import type { CandidatesTable, Schema } from "../db/schema.ts";

/** @throws ProblemError candidate_not_found, also for who is erased. */
export async function requireCandidate(
  db: Kysely<Schema>,
  candidateId: string,
): Promise<Selectable<CandidatesTable>> {
  const row = await db
    .selectFrom("candidates")
    .selectAll()
    .where("candidate_id", "=", candidateId)
    .where("erased_at", "is", null)
    .executeTakeFirst();
  if (!row) throw unknownCandidate();
  return row;
}

export const unknownCandidate = () =>
  problem("candidate_not_found", { detail: "There is no candidate with this candidateId." });

export async function competencesOf(db: Kysely<Schema>, candidateId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("candidate_competences")
    .select("competence_id")
    .where("candidate_id", "=", candidateId)
    .orderBy("competence_id")
    .execute();
  return rows.map(({ competence_id }) => competence_id);
}
