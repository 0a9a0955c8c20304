import type { Kysely, Selectable } from "kysely";
import { problem } from "../../contract/problem.ts";
import type { CandidatesTable, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { type Trx, transact } from "../transaction.ts";
import { type Asserted, readAsserted } from "./sources.ts";

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

/**
 * Locks a candidate: it serialises the accepts of one person, so that two concurrent ones see the overlap. A stronger lock could deadlock with the key share that a
 * notification to the candidate holds.
 */
export async function lockCandidate(trx: Trx, candidateId: string): Promise<void> {
  await trx
    .selectFrom("candidates")
    .where("erased_at", "is", null)
    .select("candidate_id")
    .where("candidate_id", "=", candidateId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(unknownCandidate);
}

export const unknownCandidate = () =>
  problem("candidate_not_found", { detail: "There is no candidate with this candidateId." });

/**
 * Returns a candidate for unmasked display, with what registries assert, and records the reason in the same transaction.
 * @throws ProblemError candidate_not_found, also for an erased person. Nothing is recorded then.
 */
export async function reveal(
  deps: Deps,
  candidateId: string,
  reason: string,
): Promise<{ candidate: Candidate; asserted: Asserted[] }> {
  return transact(deps, async (trx) => {
    const candidate = await requireCandidate(trx, candidateId);
    const { candidate_id } = candidate;
    const revealId = deps.newId();
    deps.audit?.note({ subjects: { revealId } });
    await trx
      .insertInto("reveals")
      .values({ reveal_id: revealId, candidate_id, reason, revealed_at: deps.now() })
      .execute();
    return { candidate, asserted: (await readAsserted(trx, [candidate_id])).get(candidate_id) ?? [] };
  });
}
