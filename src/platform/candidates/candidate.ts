import type { Kysely, Selectable } from "kysely";
import { problem } from "../../contract/problem.ts";
import type { CandidatesTable, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { transact } from "../transaction.ts";

type Candidate = Selectable<CandidatesTable>;

/**
 * Returns a candidate.
 * @throws ProblemError candidate_not_found, also for an erased person.
 */
export async function requireCandidate(db: Kysely<Schema>, candidateId: string): Promise<Candidate> {
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

/**
 * Returns a candidate for unmasked display, and records the reason in the same transaction.
 * @throws ProblemError candidate_not_found, also for an erased person. Nothing is recorded then.
 */
export async function reveal(deps: Deps, candidateId: string, reason: string): Promise<Candidate> {
  return transact(deps, async (trx) => {
    const candidate = await requireCandidate(trx, candidateId);
    const { candidate_id } = candidate;
    const revealId = deps.newId();
    deps.audit?.note({ subjects: { revealId } });
    await trx
      .insertInto("reveals")
      .values({ reveal_id: revealId, candidate_id, reason, revealed_at: deps.now() })
      .execute();
    return candidate;
  });
}
