import type { Selectable } from "kysely";
import type { CandidatesTable } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { transact } from "../transaction.ts";
import { requireCandidate } from "./candidate.ts";

/**
 * Shows a person unmasked, and records it with the reason: neither happens without the other.
 * @throws ProblemError candidate_not_found, also for who is erased; then nothing is recorded.
 */
export async function reveal(
  deps: Deps,
  candidateId: string,
  reason: string,
): Promise<Selectable<CandidatesTable>> {
  const { newId, now } = deps;
  return transact(deps, async (trx) => {
    const candidate = await requireCandidate(trx, candidateId);
    const { candidate_id } = candidate;
    await trx
      .insertInto("reveals")
      .values({ reveal_id: newId(), candidate_id, reason, revealed_at: now() })
      .execute();
    return candidate;
  });
}
