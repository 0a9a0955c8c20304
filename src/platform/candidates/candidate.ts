import { type Kysely, type Selectable, sql } from "kysely";
import { problem } from "../../contract/problem.ts";
import type { CandidatesTable, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { type Trx, transact } from "../transaction.ts";
import { EMAIL, PHONE } from "./membership.ts";

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
 * Returns a candidate for unmasked display, and records the reason in the same transaction.
 * @throws ProblemError candidate_not_found, also for an erased person. Nothing is recorded then.
 */
export async function reveal(deps: Deps, candidateId: string, reason: string): Promise<Candidate> {
  return transact(deps, async (trx) => {
    const candidate = {
      ...(await requireCandidate(trx, candidateId)),
      ...(await contactOf(trx, candidateId)),
    };
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

/** Contact details: the company's; where there are none, those that the first registry asserts. */
async function contactOf(trx: Trx, candidateId: string): Promise<Pick<Candidate, "email" | "phone">> {
  const { rows } = await sql<Pick<Candidate, "email" | "phone">>`
    select ${EMAIL} as email, ${PHONE} as phone from candidates left join memberships using (candidate_id)
    where candidate_id = ${candidateId} order by memberships.created_at, provider_id limit 1`.execute(trx);
  return rows[0] ?? { email: "", phone: "" };
}
