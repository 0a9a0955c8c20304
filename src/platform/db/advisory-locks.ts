import { type RawBuilder, sql } from "kysely";
import { jsonTexts } from "./fragments.ts";

/** What is locked: the first of the two keys of a lock. */
const SPACES = { people: 1, offer_mails: 2, alerts: 3 } as const;

/**
 * How many locks the names of one space share. The server keeps all locks in a table of limited size, which a lock for each of 20,000 people would
 * fill. Two names that share one only wait for each other.
 */
const LOCKS = 1_024;

/**
 * Locks names until the transaction ends. A transaction locks all that it needs of a space in one statement: the order is the same everywhere, so
 * that two never wait for each other in a circle.
 *
 * An advisory lock is of one server. All processes connect to the same one, which is the coordinator of a distributed database: processes that
 * connect to its workers would not exclude each other. The statement reads no table, since one that does may run on a worker.
 */
export const lockNames = (space: keyof typeof SPACES, names: readonly string[]): RawBuilder<unknown> => sql`
  select pg_advisory_xact_lock(${SPACES[space]}::int, key) from (
    select distinct hashtext(name) & ${LOCKS - 1}::int as key from ${jsonTexts(names)} as given (name) order by key) as keys`;
