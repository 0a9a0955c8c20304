import type { Kysely, Selectable } from "kysely";
import { problem } from "../../contract/problem.ts";
import { lockNames } from "../db/advisory-locks.ts";
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
 * Locks people by the hashes of their personal numbers, which a registry's entry has before it is a candidate. What books, imports or erases a person
 * holds this lock, so that it sees what the one before it wrote. A lock on the row would stop all others on a distributed database, which
 * locks the whole table of people.
 */
export const lockPeople = (hashes: readonly string[]) => lockNames("people", hashes);

/**
 * Locks a candidate.
 * @throws ProblemError candidate_not_found, also for a person who was erased meanwhile.
 */
export async function lockCandidate(trx: Trx, candidateId: string): Promise<void> {
  const { personal_number_hash } = await requireCandidate(trx, candidateId);
  await lockPeople(personal_number_hash ? [personal_number_hash] : []).execute(trx);
  await requireCandidate(trx, candidateId);
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
