import type pg from "pg";
import { DatabaseRefusal } from "../database-errors.ts";
import type { RunSql } from "../engine.ts";
import type { TimedQuery } from "./prepared.ts";

const OLDEST = 15;

interface Facts {
  version: string;
  number: number;
  encoding: string;
  /** The platform has made the tables of the schema `shiftpact`. */
  isOwn: boolean;
  tables: string[];
  /** Tables of which row-level security hides rows. */
  hiding: string[];
}

// For servers of every version, and for roles without any right.
const FACTS = `
  with tables as (select oid, relname::text as name from pg_class
    where relnamespace = to_regnamespace('shiftpact') and relkind in ('r', 'p') and not relispartition)
  select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
    current_setting('server_encoding') as encoding,
    exists (select 1 from tables join pg_attribute on attrelid = tables.oid
      where tables.name = 'migrations' and attname = 'checksum') as "isOwn",
    array(select name from tables order by name) as tables,
    array(select name from tables where row_security_active(tables.oid) order by name) as hiding`;

/**
 * Refuses a PostgreSQL on which the platform would lose data, or change that of another program, whatever it does there.
 * @param setting where its URL comes from
 * @throws DatabaseRefusal
 */
export async function checkServer(run: RunSql, setting: string): Promise<void> {
  const { rows } = await run(FACTS);
  const fault = faultOf(rows[0], setting);
  if (fault !== undefined) throw new DatabaseRefusal(fault, { isFinal: true });
}

function faultOf(facts: Facts, setting: string): string | undefined {
  if (facts.number < OLDEST * 10_000)
    return `PostgreSQL ${facts.version} is too old: upgrade the server to ${OLDEST} or newer, or name another one in ${setting}`;
  if (facts.encoding !== "UTF8")
    return (
      `the encoding of the database is ${facts.encoding}, which cannot hold every name: name a database in ${setting} ` +
      "that was created with encoding 'UTF8' template template0"
    );
  if (facts.tables.length > 0 && !facts.isOwn)
    return (
      `the schema shiftpact of the database has tables that the platform did not make (${facts.tables.join(", ")}): ` +
      `name another database in ${setting}, or rename that schema`
    );
  if (facts.hiding.length > 0)
    return (
      `row-level security hides rows of ${facts.hiding.join(", ")} in the schema shiftpact from the role of ${setting}: ` +
      "disable it on these tables, or give the role the attribute bypassrls"
    );
  return undefined;
}

/** @throws DatabaseRefusal when the database accepts no writes, which may change: another server may become the primary. */
export async function refuseReadOnly(run: RunSql, setting: string): Promise<void> {
  const { rows } = await run("select current_setting('transaction_read_only') = 'on' as \"isReadOnly\"");
  if (rows[0].isReadOnly)
    throw new DatabaseRefusal(
      `the database accepts no writes: it is a standby, or default_transaction_read_only is on; name the primary in ${setting}`,
    );
}

const ROUNDS = 3;
// A process id may occur on two servers, and it is used again.
const BACKEND: TimedQuery = {
  text: `select pid || ' ' || backend_start as backend from pg_stat_activity where pid = pg_backend_pid()`,
  query_timeout: 5_000,
};

/**
 * @throws DatabaseRefusal when two open connections share a session of the database, or one changes its session: then a pooler gives sessions out by the
 * transaction, and whatever a session remembers (LISTEN, locks, prepared statements) is lost.
 */
export async function refuseTransactionPooler(name: string, newClient: () => pg.Client): Promise<void> {
  const clients = [newClient(), newClient()];
  for (const client of clients) client.on("error", () => undefined);
  try {
    for (const client of clients) await client.connect();
    const seen = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [nth, client] of clients.entries()) {
        const { rows } = await client.query<{ backend: string }>(BACKEND);
        const backend = rows[0]?.backend ?? "";
        if ((seen.get(backend) ?? nth) !== nth) throw new DatabaseRefusal(pooled(name));
        seen.set(backend, nth);
      }
    }
    if (seen.size > clients.length) throw new DatabaseRefusal(pooled(name));
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

function pooled(name: string): string {
  return (
    `${name} leads to a pooler in transaction mode, which loses what a session remembers: ` +
    `use session pooling, or give DIRECT_DATABASE_URL, a URL that reaches PostgreSQL without the pooler`
  );
}

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
