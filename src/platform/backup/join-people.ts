import { lockPeople } from "../candidates/candidate.ts";
import type { Database } from "../db/database.ts";
import type { RunSql } from "../db/engine.ts";
import type { Numbers, Vault } from "../deps.ts";
import { keyFault } from "../integrations/vault.ts";
import { columnsOf, type Table } from "./catalog.ts";
import { BackupError } from "./format.ts";

export const PEOPLE = "candidates";

interface Parts {
  /** That of people, with the columns of the file. */
  table: Table;
  kysely: Database["kysely"];
  vault: Vault;
  /** Of this database: each has a key of its own for the hashes. */
  numbers: Pick<Numbers, "hash" | "open">;
}

/** How a person is named in refusals. */
const NAMED = 3;

/**
 * Adds the people of `moved_people`. A person whose personal number is known already keeps the id and the data of this database; what is missing
 * of them is filled in. Returns the ids that are others here.
 */
export async function joinPeople(
  run: RunSql,
  { table, kysely, vault, numbers }: Parts,
): Promise<{ ids: Map<string, string>; joined: number }> {
  await hashNumbers(run, vault, numbers);
  const { rows: listed } = await run(
    "select personal_number_hash as hash from moved_people where personal_number_hash is not null",
  );
  const lock = lockPeople(listed.map(({ hash }) => hash)).compile(kysely);
  await run(lock.sql, [...lock.parameters]);
  await refuseErased(run);
  const { rows: moved } = await run(
    "select coalesce(json_agg(moved), '[]')::text as people from moved_people as moved",
  );
  const people = [moved[0].people];
  await run(REVIVE, people);
  const columns = columnsOf(table);
  const { rows: added } = await run(
    `insert into candidates (${columns}) select ${columns} from moved_people order by candidate_id
     on conflict do nothing returning candidate_id`,
  );
  const { rows: others } = await run(OTHERS);
  await run(FILL, people);
  const { rows: all } = await run("select count(*)::int as count from moved_people");
  return {
    ids: new Map(others.map(({ here, there }) => [there, here])),
    joined: all[0].count - added.length,
  };
}

/** Computes the hashes by the key of this database. */
async function hashNumbers(run: RunSql, vault: Vault, numbers: Parts["numbers"]): Promise<void> {
  const { rows } = await run("select candidate_id as id, personal_number_sealed, hire from moved_people");
  for (const { personal_number_sealed, hire } of rows)
    for (const sealed of [personal_number_sealed, hire]) requireKey(sealed, vault);
  const hashes = rows
    .filter((row) => row.personal_number_sealed !== null)
    .map(({ id, ...stored }) => ({ id, hash: numbers.hash(numbers.open(stored)) }));
  await run(
    `update moved_people set personal_number_hash = given.hash
     from jsonb_to_recordset($1::jsonb) as given (id uuid, hash text) where candidate_id = given.id`,
    [JSON.stringify(hashes)],
  );
}

/** A value may still be sealed with an older key than the file. @throws BackupError */
export function requireKey(sealed: string | null, vault: Vault): void {
  const fault = sealed === null ? undefined : keyFault(sealed, vault);
  if (fault !== undefined)
    throw new BackupError(`the backup has a value that was ${fault}: add the missing key to SECRET_KEYS`);
}

/** An erasure must not be undone by the way, and someone who is booked cannot become anonymous. */
async function refuseErased(run: RunSql): Promise<void> {
  const { rows } = await run(
    `select candidate_id as id from moved_people join erased_people on number_hash = personal_number_hash order by 1`,
  );
  if (rows.length === 0) return;
  const ids = rows.slice(0, NAMED).map(({ id }) => id);
  throw new BackupError(
    `${rows.length} people of the file were erased in this database (${ids.join(", ")}${rows.length > NAMED ? ", ..." : ""} there): ` +
      "erase them there too (DELETE /operations/v1/candidates/{candidateId}), and export again",
  );
}

/** The rows of `moved_people`: a distributed database changes a common table by no table that is on one server. */
const MOVED = "json_populate_recordset(null::candidates, $1::json) as moved";

/** Of people who were here with another organisation of the same database, an anonymous row is left when that is deleted. */
const REVIVE = `
  update candidates set personal_number_sealed = moved.personal_number_sealed, personal_number_hash = moved.personal_number_hash,
    first_name = moved.first_name, last_name = moved.last_name, email = moved.email, phone = moved.phone, hire = moved.hire,
    is_shared = moved.is_shared, erased_at = null, updated_at = now()
  from ${MOVED}
  where candidates.candidate_id = moved.candidate_id and candidates.personal_number_hash is null
    and moved.personal_number_hash is not null
    and not exists (select 1 from candidates as other where other.personal_number_hash = moved.personal_number_hash)`;

const OTHERS = `
  select candidates.candidate_id as here, moved.candidate_id as there
  from moved_people as moved join candidates using (personal_number_hash)
  where candidates.candidate_id <> moved.candidate_id`;

/** What the company itself asserts is valid for every organisation, here too. */
const FILL = `
  update candidates set
    first_name = case when candidates.is_shared or not moved.is_shared then candidates.first_name else moved.first_name end,
    last_name = case when candidates.is_shared or not moved.is_shared then candidates.last_name else moved.last_name end,
    email = case when candidates.email = '' and moved.is_shared then moved.email else candidates.email end,
    phone = case when candidates.phone = '' and moved.is_shared then moved.phone else candidates.phone end,
    hire = coalesce(candidates.hire, moved.hire), is_shared = candidates.is_shared or moved.is_shared, updated_at = now()
  from ${MOVED}
  where candidates.personal_number_hash = moved.personal_number_hash
    and (candidates.hire is null and moved.hire is not null or moved.is_shared
      and (not candidates.is_shared or candidates.email = '' and moved.email <> '' or candidates.phone = '' and moved.phone <> ''))`;
