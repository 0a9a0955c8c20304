import { Kysely, PostgresDialect, type PostgresPoolClient } from "kysely";
import { ProblemError } from "../../runtime/problem.ts";
import { erase } from "../candidates/erase.ts";
import type { RunSql } from "../db/engine.ts";
import { NAMES } from "../db/names.ts";
import type { Schema } from "../db/schema.ts";

/** What `after-restore` ended, for the issue `restored`. */
export interface Ended {
  /** Operators who have no token any more. */
  tokensEnded: number;
  /** People who were erased after the backup, and are erased again; unset: nothing says who they are. */
  erased?: number;
  /** Those of them who are not erased again, because they hold a seat in the backup. */
  notErased?: string[];
}

/**
 * Tables that are empty after a restore. What is in them may have been revoked since the backup, which nothing in it says. Operators get new tokens
 * from the holder of OPERATIONS_TOKEN, which is not in the database. Sessions that were signed out would be signed in again. Other
 * tokens by which a person enters belong here too.
 */
const REVOCABLE = ["console_sessions", "operator_tokens"];

/**
 * Ends what must not be valid again, within the transaction of `after-restore`.
 * @param erased The candidateIds of people who were erased after the backup, if that is known.
 */
export async function endRevoked(run: RunSql, erased: readonly string[] | undefined): Promise<Ended> {
  const { rows } = await run(`select count(distinct operator_id)::int as count from operator_tokens
    join operators using (operator_id) where revoked_at is null and valid_until > now()`);
  for (const table of REVOCABLE) await run(`delete from ${table}`);
  const tokensEnded = rows[0].count;
  return erased === undefined ? { tokensEnded } : { tokensEnded, ...(await eraseAgain(run, erased)) };
}

async function eraseAgain(
  run: RunSql,
  candidateIds: readonly string[],
): Promise<Pick<Ended, "erased" | "notErased">> {
  const kysely = new Kysely<Schema>({ dialect: within(run), plugins: [NAMES] });
  // No worker runs.
  const deps = { database: { kysely }, now: () => new Date(), wakeWorker: () => undefined };
  const notErased: string[] = [];
  for (const candidateId of candidateIds)
    try {
      await erase(deps, candidateId);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      if (error.problem.code === "candidate_booked") notErased.push(candidateId);
    }
  // Those of an earlier run, too.
  const { rows } = await run(
    "select count(*)::int as erased from candidates where candidate_id = any ($1::uuid[]) and erased_at is not null",
    [candidateIds],
  );
  return { erased: rows[0].erased, notErased };
}

/** Kysely on a session whose transaction is under way: its own transactions are parts of that. */
function within(run: RunSql): PostgresDialect {
  const PARTS: Readonly<Record<string, string>> = {
    begin: "savepoint part",
    commit: "release savepoint part",
    rollback: "rollback to savepoint part",
  };
  // Kysely counts the rows that a statement changed, which nothing here reads.
  const query = async (text: string, values: readonly unknown[]) => {
    const part = PARTS[text];
    return { rowCount: 0, ...(part === undefined ? await run(text, [...values]) : await run(part)) };
  };
  const client = { query: query as unknown as PostgresPoolClient["query"], release: () => undefined };
  return new PostgresDialect({
    pool: { options: {}, connect: async () => client, end: async () => undefined },
  });
}
