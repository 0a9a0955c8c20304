import { sql } from "kysely";
import pg from "pg";
import { expect } from "vitest";
import type { Database } from "../../src/platform/db/database.ts";
import { copyDatabase } from "./engines.ts";

/** Settings that companies give a database, and that the platform cannot work with. */
const SETTINGS = {
  datestyle: "'German'",
  timezone: "'Asia/Kathmandu'",
  default_transaction_isolation: "'serializable'",
  synchronous_commit: "off",
  jit: "on",
  search_path: "pg_catalog",
};

const RELIED_ON = {
  datestyle: "ISO",
  timezone: "UTC",
  transaction_isolation: "read committed",
  synchronous_commit: "on",
  jit: "off",
  search_path: "shiftpact, public",
};

const SELECT = `select json_build_object(${Object.keys(RELIED_ON)
  .map((name) => `'${name}', split_part(current_setting('${name}'), ', DMY', 1)`)
  .join(", ")}) as settings`;

/** Each kind of connection, alone and in a transaction. */
export async function expectReliedOn({ kysely, inbox, raw }: Database): Promise<void> {
  const read = sql.raw(SELECT);
  for (const each of [kysely, inbox]) {
    expect((await read.execute(each)).rows).toEqual([{ settings: RELIED_ON }]);
    const { rows } = await each.transaction().execute((trx) => read.execute(trx));
    expect(rows).toEqual([{ settings: RELIED_ON }]);
  }
  const { rows } = await raw.executeSql(SELECT);
  expect(rows).toEqual([{ settings: RELIED_ON }]);
}

/** A migrated database that is set to other values than the platform relies on. */
export async function copyOddDatabase(settings: Readonly<Record<string, string>> = SETTINGS) {
  const database = await copyDatabase();
  const { url } = database.where;
  const name = new URL(url).pathname.slice(1);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const [setting, value] of Object.entries(settings))
    await client.query(`alter database ${name} set ${setting} = ${value}`);
  await client.end();
  return { url, remove: database.remove };
}
