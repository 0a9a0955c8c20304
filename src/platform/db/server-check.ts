import { DatabaseRefusal } from "./database-errors.ts";
import type { Log, RunSql } from "./engine.ts";

const OLDEST = 15;
const MOST_NAMED = 5;

interface Facts {
  version: string;
  number: number;
  encoding: string;
  role: string;
  /** Of the schema `shiftpact`; null: the schema does not exist. */
  owner: string | null;
  mayUse: boolean | null;
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
    current_setting('server_encoding') as encoding, current_user::text as role,
    (select pg_get_userbyid(nspowner)::text from pg_namespace where nspname = 'shiftpact') as owner,
    has_schema_privilege(to_regnamespace('shiftpact')::oid, 'usage') as "mayUse",
    exists (select 1 from tables join pg_attribute on attrelid = tables.oid
      where tables.name = 'migrations' and attname = 'checksum') as "isOwn",
    array(select name from tables order by name) as tables,
    array(select name from tables where row_security_active(tables.oid) order by name) as hiding`;

/**
 * Checks what the platform needs of a PostgreSQL, whatever it does there.
 * @param setting where its URL comes from
 * @throws DatabaseRefusal
 */
export async function checkServer(run: RunSql, setting: string): Promise<void> {
  const { rows } = await run(FACTS);
  const fault = faultOf(rows[0], setting);
  if (fault !== undefined) throw new DatabaseRefusal(fault, { isFinal: true });
}

function faultOf({ owner, role, ...facts }: Facts, setting: string): string | undefined {
  if (facts.number < OLDEST * 10_000)
    return `PostgreSQL ${facts.version} is too old: upgrade the server to ${OLDEST} or newer, or name another one in ${setting}`;
  if (facts.encoding !== "UTF8")
    return (
      `the encoding of the database is ${facts.encoding}, which cannot hold every name: name a database in ${setting} ` +
      "that was created with encoding 'UTF8' template template0"
    );
  if (owner !== null && !facts.mayUse)
    return (
      `the schema shiftpact of the database belongs to ${owner}, and ${role} may not use it: connect as ${owner}, ` +
      `or grant ${role} the rights that the operator's guide lists`
    );
  if (facts.tables.length > 0 && !facts.isOwn)
    return (
      `the schema shiftpact of the database has tables that the platform did not make (${named(facts.tables)}): ` +
      `name another database in ${setting}, or rename that schema`
    );
  if (facts.hiding.length > 0)
    return (
      `row-level security hides rows of ${named(facts.hiding)} in the schema shiftpact from ${role}: ` +
      `disable it on these tables, or give ${role} the attribute bypassrls`
    );
  return undefined;
}

const named = (names: readonly string[]): string =>
  names.length > MOST_NAMED ? `${names.slice(0, MOST_NAMED).join(", ")} and more` : names.join(", ");

/** @throws DatabaseRefusal when the database accepts no writes, which may change: another server may become the primary. */
export async function refuseReadOnly(run: RunSql, setting: string): Promise<void> {
  const { rows } = await run(
    `select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
  );
  const { isStandby, isReadOnly } = rows[0];
  if (isStandby)
    throw new DatabaseRefusal(
      `the server is a standby, which accepts no writes: name the primary in ${setting}, or both with target_session_attrs=read-write`,
    );
  if (isReadOnly)
    throw new DatabaseRefusal(
      `the database accepts no writes, because default_transaction_read_only is on: turn it off, or name another one in ${setting}`,
    );
}

/** Logs what works worse on this database than on others. */
export async function warnOfSettings(run: RunSql, log: Log): Promise<void> {
  const { rows } = await run(`
    select lower('Å') = 'å' as "foldsCase", datctype as "lcCtype",
      nullif(current_setting('synchronous_standby_names'), '') as standbys,
      exists (select 1 from pg_stat_replication) as "hasStandby"
    from pg_database where datname = current_database()`);
  const { foldsCase, lcCtype, standbys, hasStandby } = rows[0];
  if (!foldsCase)
    log.warn(
      { lcCtype },
      "the locale of the database has no letters beyond a to z: a search for å does not find Å; use a database with a locale such as C.UTF-8",
    );
  if (standbys !== null && !hasStandby)
    log.warn(
      { synchronousStandbyNames: standbys },
      "no standby is connected, and every commit waits for one: start one that synchronous_standby_names lists, or empty that setting",
    );
}
