import { createHmac } from "node:crypto";
import type { Kysely, Selectable } from "kysely";
import { type PersonalNumber, parsePersonalNumber } from "../../contract/personal-number.ts";
import { problem } from "../../contract/problem.ts";
import type { Database } from "../db/database.ts";
import { lockNames } from "../db/fragments.ts";
import type { CandidatesTable, Schema } from "../db/schema.ts";
import type { Deps, Numbers, Vault } from "../deps.ts";
import { openSealedKey } from "../kept-secrets.ts";
import { placeOfLocks, type Trx, transact } from "../transaction.ts";
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
    .where("candidateId", "=", candidateId)
    .where("erasedAt", "is", null)
    .executeTakeFirst();
  if (!row) throw unknownCandidate();
  return row;
}

/**
 * Locks people by the hashes of their personal numbers, which a registry's entry has before it is a candidate. What books, imports or erases a person
 * holds this lock, so that it sees what the one before it wrote. A lock on the row would stop all others on a distributed database, which
 * locks the whole table of people. What is about many people locks a batch at a time, with a commit each.
 */
export async function lockPeople(trx: Trx, hashes: readonly string[]): Promise<void> {
  await lockNames("people", hashes).execute(await placeOfLocks(trx));
}

/**
 * Locks a candidate.
 * @throws ProblemError candidate_not_found, also for a person who was erased meanwhile.
 */
export async function lockCandidate(trx: Trx, candidateId: string): Promise<void> {
  const { personalNumberHash } = await requireCandidate(trx, candidateId);
  await lockPeople(trx, personalNumberHash ? [personalNumberHash] : []);
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
  id: string,
  reason: string,
): Promise<{ candidate: Candidate; asserted: Asserted[] }> {
  return transact(deps, async (trx) => {
    const candidate = await requireCandidate(trx, id);
    const { candidateId } = candidate;
    const revealId = deps.newId();
    deps.audit?.note({ subjects: { revealId } });
    await trx
      .insertInto("reveals")
      .values({ revealId, candidateId, reason, revealedAt: deps.now() })
      .execute();
    return { candidate, asserted: (await readAsserted(trx, [candidateId])).get(candidateId) ?? [] };
  });
}

/**
 * Opens the key of the hash. Decision: it is not derived from SECRET_KEY, because the hash of an erased person cannot be computed again after SECRET_KEY
 * changes.
 */
export async function openPersonalNumbers(
  database: Pick<Database, "kysely">,
  vault: Vault,
): Promise<Numbers> {
  const key = await openSealedKey(database, vault, "personal-numbers");
  const hash = (number: PersonalNumber) => createHmac("sha256", key).update(number).digest("hex");
  return {
    hash,
    columns: (number) => ({ personalNumberSealed: vault.seal(number), personalNumberHash: hash(number) }),
    open: ({ personalNumberSealed: sealed }) => {
      const number = parsePersonalNumber(sealed === null ? "" : vault.open(sealed));
      if (!number) throw new Error("a stored personal number is not valid");
      return number;
    },
  };
}
