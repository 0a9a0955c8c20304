import { openPersonalNumbers } from "../candidates/personal-numbers.ts";
import type { Database } from "../db/database.ts";
import type { RunSql } from "../db/engine.ts";
import { inTransaction } from "../db/in-transaction.ts";
import type { Vault } from "../deps.ts";
import { AS_TEXT, hasTables, quoted, readApplied, readDays, readTables, type Table } from "./catalog.ts";
import { prepareCatchUp } from "./catch-up.ts";
import { BackupError, type Header, readHeader, reading, requireEnd } from "./format.ts";
import { inspect } from "./inspect.ts";
import { joinPeople, PEOPLE, requireKey } from "./join-people.ts";
import { insertRows, makeDay, ownTables } from "./load.ts";
import { CREATED_AT, isOwned, selectOrganisation } from "./organisation.ts";
import { requireKeys } from "./restore.ts";

export interface Added {
  header: Header;
  rows: number;
  /** False: the organisation was there already, and nothing was changed. */
  isNew: boolean;
  /** People whom the database knew already. */
  joined: number;
}

type Moved = Header & { organisation: NonNullable<Header["organisation"]> };

/**
 * Adds an organisation to the database of a platform, which may run meanwhile, in one transaction. Its state stays: suspended. Whatever can be
 * refused is refused before anything is written.
 * @param read the lines of the file, from the beginning at each call
 * @throws BackupError
 */
export async function addOrganisation(
  database: Database,
  vault: Vault,
  read: () => AsyncIterable<string>,
): Promise<Added> {
  const { raw, kysely } = database;
  const { header, rows } = await inspect(read());
  requireOrganisation(header);
  await requireSameSchema(raw.executeSql, header);
  const { providerId } = header.organisation;
  const own = await selectOrganisation(raw.executeSql, await readTables(raw.executeSql), providerId);
  const tables = ownTables(
    header,
    own.map(({ table }) => table),
  );
  await requireKeys(raw.executeSql, vault);
  const numbers = await openPersonalNumbers(database, vault);
  return raw.alone(async (run) => {
    if (await isPresent(run, header)) return { header, rows, isNew: false, joined: 0 };
    await makeDays(run, header);
    const add = (lines: AsyncIterator<string>) =>
      addRows(run, lines, { header, tables, kysely, vault, numbers });
    const joined = await inTransaction(run, () => reading(read(), add));
    return { header, rows, isNew: true, joined };
  });
}

function requireOrganisation(header: Header): asserts header is Moved {
  if (header.organisation === undefined)
    throw new BackupError(
      "the file holds a whole database: restore it into an empty one, without --organisation",
    );
}

async function requireSameSchema(run: RunSql, { migrations }: Header): Promise<void> {
  if (!(await hasTables(run)))
    throw new BackupError(
      "the database has no tables: run `shiftpact migrate`, or start a platform on it first",
    );
  if (JSON.stringify(await readApplied(run)) !== JSON.stringify(migrations))
    throw new BackupError(
      "the schema of the file is not that of this database: run the same version of shiftpact at both, and export again",
    );
}

/** Whether the same registration of the organisation is in the database. */
async function isPresent(run: RunSql, { organisation }: Moved): Promise<boolean> {
  const { providerId, createdAt } = organisation;
  const { rows } = await run(
    `select ${CREATED_AT} as "createdAt" from shiftpact.integrations where provider_id = $1`,
    [providerId],
  );
  if (rows.length === 0) return false;
  if (rows[0].createdAt === createdAt) return true;
  throw new BackupError(
    `another registration of the organisation ${providerId} is in this database: delete it there first (DELETE /operations/v1/integrations/${providerId})`,
  );
}

/**
 * Makes the days whose partitions are missing. In transactions of their own: they lock what a running platform reads. Its upkeep may make the
 * same day at the same time.
 */
async function makeDays(run: RunSql, { days }: Header): Promise<void> {
  const readNames = async () => new Set((await readDays(run)).map(({ table, day }) => `${table} ${day}`));
  const present = await readNames();
  for (const each of days) {
    const name = `${each.table} ${each.day}`;
    if (!present.has(name))
      await makeDay(run, each).catch(async (error) => {
        if (!(await readNames()).has(name)) throw error;
      });
  }
}

interface Parts extends Pick<Parameters<typeof joinPeople>[1], "kysely" | "vault" | "numbers"> {
  header: Moved;
  tables: readonly Table[];
}

/** Returns the number of people whom the database knew already. */
async function addRows(
  run: RunSql,
  lines: AsyncIterator<string>,
  { header, tables, ...keys }: Parts,
): Promise<number> {
  await run(AS_TEXT);
  await readHeader(lines);
  const { providerId } = header.organisation;
  // Figures of an organisation that was here before and was deleted.
  for (const { name } of tables.filter(isOwned).toReversed())
    await run(`delete from shiftpact.${quoted(name)} where provider_id = $1`, [providerId]);
  let people = { ids: new Map<string, string>(), joined: 0 };
  const translate = (row: string) => row.replace(UUID, (id) => people.ids.get(id) ?? id);
  for (const [index, table] of tables.entries()) {
    const type = `row_${index}`;
    if (table.name === PEOPLE) {
      await run(`create temporary table moved_people (like shiftpact.${PEOPLE}) on commit drop`);
      await insertRows(run, lines, table, { type, into: "moved_people" });
      people = await joinPeople(run, { table, ...keys });
    } else if (isOwned(table)) await insertRows(run, lines, table, { type, translate, providerId });
    else await insertRows(run, lines, table, { type, translate, onConflict: "on conflict do nothing" });
  }
  await requireEnd(lines);
  const { rows: named } = await run(OWN_NAMES, [providerId]);
  await run(NAME, [named[0].people]);
  await requireToken(run, header, keys.vault);
  await prepareCatchUp(run, header);
  return people.joined;
}

/** The value may still be sealed with an older key than the file. */
async function requireToken(run: RunSql, { organisation }: Moved, vault: Vault): Promise<void> {
  const { rows } = await run("select provider_token as sealed from integrations where provider_id = $1", [
    organisation.providerId,
  ]);
  requireKey(rows[0]?.sealed ?? null, vault);
}

/** The name of a person whom only registries name may be that of another organisation's, which did not come along. */
const OWN_NAMES = `
  select coalesce(json_agg(own), '[]')::text as people from (
    select candidate_id, max(first_name) as first_name, max(last_name) as last_name from memberships
    where candidate_id in (select candidate_id from memberships where provider_id = $1)
    group by candidate_id having count(*) = 1) as own`;
const NAME = `
  update candidates set first_name = own.first_name, last_name = own.last_name
  from json_to_recordset($1::json) as own (candidate_id uuid, first_name text, last_name text)
  where candidates.candidate_id = own.candidate_id and not is_shared`;

/** Ids of people are also within JSON, and in the keys of work: ids are unique, so that each is found as text. */
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
