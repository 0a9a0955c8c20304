import { type RawBuilder, sql } from "kysely";
import { jsonTexts } from "./fragments.ts";

/** What is locked. */
type Space = "people" | "offerMails" | "alerts";

/**
 * Locks names until the transaction ends: each is a row of the table `locks`, which stays. A transaction locks all that it needs of a space in one
 * statement: the order is the same everywhere, so that two never wait for each other in a circle.
 *
 * No advisory lock: the server keeps those in a table of limited size, and each server has its own, so that processes at two nodes of a distributed
 * database would not exclude each other. There a row is in one place for all nodes. It is written only once: a row that is there is locked and left as it is.
 */
export const lockNames = (space: Space, names: readonly string[]): RawBuilder<unknown> => sql`
  insert into locks (key)
  select distinct hashtextextended(${`${space} `} || name, 0) as key from ${jsonTexts(names)} as given (name) order by key
  on conflict (key) do update set key = excluded.key where false`;
