import { DatabaseRefusal } from "./database-errors.ts";
import type { RunSql } from "./engine.ts";

/**
 * Where the database is: its cluster, its oid there, and the oid of a table. A failover, a pooler and a proxy keep all three. A dump that is
 * restored has another table, and a copy by `create database ... template` another oid. A copy of the files has the same place.
 */
export async function readPlace(run: RunSql): Promise<string> {
  const { rows: rights } = await run(
    "select has_function_privilege('pg_control_system()', 'execute') as \"mayRead\"",
  );
  const cluster = rights[0].mayRead ? "(select system_identifier from pg_control_system())" : "null";
  const { rows } = await run(`
    select concat_ws('/', ${cluster}, oid, 'shiftpact.last_place'::regclass::oid) as place
    from pg_database where datname = current_database()`);
  return rows[0].place;
}

/** Records that the database is used where it is. */
export async function adoptPlace(run: RunSql): Promise<void> {
  await recordPlace(run, await readPlace(run));
}

/** Records where the database is used from now on. */
export async function recordPlace(run: RunSql, place: string): Promise<void> {
  await run(
    "insert into shiftpact.last_place (place) values ($1) on conflict (id) do update set place = excluded.place",
    [place],
  );
}

/** @throws DatabaseRefusal when the database was last used elsewhere: a restored copy must not send what was sent since it was made. */
export async function requireSamePlace(run: RunSql): Promise<void> {
  const here = await readPlace(run);
  await run("insert into shiftpact.last_place (place) values ($1) on conflict (id) do nothing", [here]);
  const { rows } = await run("select place from shiftpact.last_place");
  if (rows[0].place !== here)
    throw new DatabaseRefusal(
      "the database is a copy, or was moved: run `shiftpact after-restore`, or `shiftpact after-restore --same` if nothing has run " +
        "on the original since this copy was made, and nothing will",
      { isFinal: true },
    );
}
