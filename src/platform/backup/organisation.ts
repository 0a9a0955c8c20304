import type { RunSql } from "../db/engine.ts";
import { quoted, type Table } from "./catalog.ts";
import { BackupError, type Header } from "./format.ts";

// What a file of one organisation holds. Which tables that are follows from the schema: a table that a later version adds comes along.

/** SQL by which a registration of an organisation is known again. */
export const CREATED_AT = `to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Whether the rows of a table belong to organisations. */
export const isOwned = ({ columns }: Table): boolean => columns.some(({ name }) => name === "provider_id");

/**
 * Rejects with BackupError when the organisation might still work, and would then work at two databases. What an operator asked for is done while it
 * is suspended, too.
 */
export async function requireMovable(run: RunSql, providerId: string): Promise<Pick<Header, "organisation">> {
  const { rows } = await run(
    `select state, offboarding, ${CREATED_AT} as "createdAt", (select count(*)::int from shiftpact.work
       where work.provider_id = $1 and (claim is not null and due_at > now() or priority = 0)) as running
     from shiftpact.integrations where provider_id = $1`,
    [providerId],
  );
  const [found] = rows;
  const path = `/operations/v1/integrations/${providerId}`;
  if (!found) throw new BackupError(`there is no organisation ${providerId} in this database`);
  if (found.state === "active")
    throw new BackupError(
      `the organisation ${providerId} is active, and would work at both databases: suspend it first (POST ${path}/suspend)`,
    );
  if (found.offboarding !== null)
    throw new BackupError(
      `the organisation ${providerId} is being offboarded: end that first (POST ${path}/activate, then suspend)`,
    );
  if (found.running > 0)
    throw new BackupError(
      `work of the organisation ${providerId} is still under way (${found.running}): repeat the command once it is done`,
    );
  return { organisation: { providerId, createdAt: found.createdAt } };
}

/** A table with the condition that its rows fulfil. */
interface Selected {
  table: Table;
  where: string;
}

/**
 * Returns the rows of an organisation, and of the common tables what they name by id, with what is stored about that under its id: the people,
 * their competences, and the competences and workplaces of the mappings. A table comes after those that it refers to.
 */
export async function selectOrganisation(
  run: RunSql,
  tables: readonly Table[],
  providerId: string,
): Promise<Selected[]> {
  const links = await readLinks(run);
  const keyOf = ({ name }: Table) => links.get(name)?.key ?? [];
  const where = new Map<string, string>();
  const owned = tables.filter(isOwned);
  for (const { name } of owned) where.set(name, `provider_id = '${providerId}'`);
  const common = tables.filter((table) => !isOwned(table));
  const named = common.filter((table) => keyOf(table).length === 1 && isNamed(keyOf(table)[0], owned));
  const details = common.filter(
    (table) => keyOf(table).length > 1 && named.some((each) => keyOf(each)[0] === keyOf(table)[0]),
  );
  const select = (table: Table, from: readonly Table[]) => {
    const [id = ""] = keyOf(table);
    const ids = from.filter((each) => isNamed(id, [each])).map(({ name }) => idsOf(id, name, where));
    where.set(table.name, `${quoted(id)} in (${ids.join(" union ")})`);
  };
  for (const table of details) select(table, owned);
  for (const table of named) select(table, [...owned, ...details]);
  return inOrder(tables, links).flatMap((table) => {
    const condition = where.get(table.name);
    return condition === undefined ? [] : [{ table, where: condition }];
  });
}

const isNamed = (id: string | undefined, tables: readonly Table[]) =>
  tables.some(({ columns }) => columns.some(({ name }) => name === id));

const idsOf = (id: string, name: string, where: ReadonlyMap<string, string>) =>
  `select ${quoted(id)} from shiftpact.${quoted(name)} where ${where.get(name)}`;

type Links = Map<string, { key: string[]; parents: string[] }>;

/** The primary key of each table, and the other tables that it refers to. */
async function readLinks(run: RunSql): Promise<Links> {
  const { rows } = await run(`
    select c.relname as name,
      (select json_agg(a.attname order by k.position) from unnest(i.indkey) with ordinality as k (attnum, position)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum) as key,
      (select coalesce(json_agg(p.relname), '[]') from pg_constraint f join pg_class p on p.oid = f.confrelid
        where f.contype = 'f' and f.conrelid = c.oid and p.oid <> c.oid) as parents
    from pg_class c join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relnamespace = 'shiftpact'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`);
  return new Map(rows.map(({ name, key, parents }) => [name, { key, parents }]));
}

function inOrder(tables: readonly Table[], links: Links): Table[] {
  const sorted = new Set<Table>();
  const add = (table: Table) => {
    if (sorted.has(table)) return;
    const parents = links.get(table.name)?.parents ?? [];
    for (const parent of tables) if (parents.includes(parent.name)) add(parent);
    sorted.add(table);
  };
  for (const table of tables) add(table);
  return [...sorted];
}
