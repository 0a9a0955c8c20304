import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { columns, type Listed, type MappedList } from "../integrations/mapped-lists.ts";
import { contains, DEFAULT_LIMIT, foreignCursor, type PageQuery } from "./page.ts";

export interface MappedQuery extends PageQuery {
  search?: string;
  state?: "unmapped" | "mapped";
}

/**
 * One page of a provider's outlets or roles: those that are not mapped first, each part by name. An entry that is mapped between two pages
 * moves to the end; no other entry is missed.
 * @throws ProblemError validation_failed when the cursor is not from this list.
 */
export async function mappedPage(
  db: Database["kysely"],
  list: MappedList,
  providerId: string,
  { search, state, limit = DEFAULT_LIMIT, cursor }: MappedQuery,
): Promise<{ items: Listed[]; nextCursor?: string }> {
  const id = sql.ref(list.id);
  const isMapped = sql<boolean>`(${sql.ref(list.target)} is not null)`;
  const isFound = sql`(${contains(sql.ref("name"), search)} or ${id} = ${search ?? ""}::text)`;
  const ofProvider = sql`from ${sql.table(list.table)} where provider_id = ${providerId}`;
  const [rank, last] = cursor === undefined ? [] : positionIn(cursor);
  // Without the name of the last entry, which may be gone by now, its part begins again: better twice than not at all.
  const isAfter = sql`(${isMapped}, name, ${id}) > (${rank === "1"}::boolean,
    coalesce((select name ${ofProvider} and ${id} = ${last ?? ""}::text), ''), ${last ?? ""}::text)`;
  const { rows } = await sql<Listed>`
    select ${columns(list)} ${ofProvider} and ${isFound}
      and ${state === undefined ? sql`true` : sql`${isMapped} = ${state === "mapped"}::boolean`}
      and ${cursor === undefined ? sql`true` : isAfter}
    order by ${isMapped}, name, ${id} limit ${limit + 1}::int`.execute(db);
  const items = rows.slice(0, limit);
  const end = items.at(-1);
  if (rows.length <= limit || end === undefined) return { items };
  return { items, nextCursor: `${end.target === null ? 0 : 1}_${end.id}` };
}

function positionIn(cursor: string): [rank: string, id: string] {
  const [, rank, id] = /^([01])_(.+)$/s.exec(cursor) ?? [];
  if (rank === undefined || id === undefined) throw foreignCursor();
  return [rank, id];
}

/** How many outlets and roles an integration has, and how many of them are mapped; for a select of integrations. */
export const MAPPING_PROGRESS = sql<{
  outlets: number;
  mappedOutlets: number;
  roles: number;
  mappedRoles: number;
}>`(select json_build_object('outlets', outlets.all, 'mappedOutlets', outlets.mapped, 'roles', roles.all, 'mappedRoles', roles.mapped)
  from (select count(*) as all, count(workplace_id) as mapped from outlets where outlets.provider_id = integrations.provider_id) as outlets,
    (select count(*) as all, count(competence_id) as mapped from roles where roles.provider_id = integrations.provider_id) as roles)`;
