import { type Kysely, sql } from "kysely";
import type { FieldError, Mappings } from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import { changesOf } from "../access/audit.ts";
import { IS_LIVE, jsonRows, jsonTexts } from "../db/fragments.ts";
import type { Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { resolveIssues } from "../issues.ts";
import { type Trx, transact } from "../transaction.ts";
import { markRefreshDue } from "../work/refresh.ts";

type Db = Kysely<Schema>;

/** A workplace or competence to which an outlet or role may be mapped. */
export interface Option {
  id: string;
  name: string;
  address?: string | null;
}

/** One of the two lists of a provider whose entries are mapped: outlets to workplaces, roles to competences. */
export interface MappedList {
  table: "outlets" | "roles";
  id: "outletId" | "roleId";
  target: "workplaceId" | "competenceId";
  targets: "workplaces" | "competences";
  hasAddress: boolean;
}

export const OUTLETS: MappedList = {
  table: "outlets",
  id: "outletId",
  target: "workplaceId",
  targets: "workplaces",
  hasAddress: true,
};
export const ROLES: MappedList = {
  table: "roles",
  id: "roleId",
  target: "competenceId",
  targets: "competences",
  hasAddress: false,
};

/** An outlet or a role as it was last read. */
export interface Listed {
  id: string;
  name: string;
  address: string | null;
  /** The id of the workplace or competence. */
  target: string | null;
}

/** As `Listed` has them. */
export const columns = ({ id, target, hasAddress }: MappedList) =>
  sql`${sql.ref(id)} as id, name, ${hasAddress ? sql.ref("address") : sql`null::text`} as address, ${sql.ref(target)} as target`;

export async function readListed(db: Db, list: MappedList, providerId: string): Promise<Listed[]> {
  const { rows } = await sql<Listed>`
    select ${columns(list)} from ${sql.table(list.table)} where provider_id = ${providerId}
    order by name, ${sql.ref(list.id)}`.execute(db);
  return rows;
}

/** Returns everything that an entry of the list may be mapped to. */
export async function readOptions(db: Db, { target, targets, hasAddress }: MappedList): Promise<Option[]> {
  const address = hasAddress ? sql.ref("address") : sql`null::text`;
  const { rows } = await sql<Option>`
    select ${sql.ref(target)} as id, name, ${address} as address from ${sql.table(targets)} order by 1`.execute(
    db,
  );
  return rows;
}

/** Locks what is stored in the order of the ids, so that two transactions on the same rows take turns. */
export async function lockListed(db: Db, list: MappedList, providerId: string): Promise<Listed[]> {
  const { rows } = await sql<Listed>`
    select ${columns(list)} from ${sql.table(list.table)} where provider_id = ${providerId}
    order by ${sql.ref(list.id)} for update`.execute(db);
  return rows;
}

/** Stores entries as the provider lists them now, in one statement, and keeps their mapping. */
export async function storeListed(
  db: Db,
  list: MappedList,
  providerId: string,
  listed: readonly Listed[],
): Promise<Listed[]> {
  const { table, id, target, hasAddress } = list;
  const own = sql.ref(`${table}.${target}`);
  const { rows } = await sql<Listed>`
    insert into ${sql.table(table)} (provider_id, ${sql.ref(id)}, name, ${sql.ref(target)} ${hasAddress ? sql`, address` : sql``})
    select ${providerId}::uuid, id, name, target ${hasAddress ? sql`, address` : sql``}
    from ${jsonRows(listed)} as listed (id text, name text, address text, target uuid) order by id
    on conflict (provider_id, ${sql.ref(id)}) do update set name = excluded.name,
      ${hasAddress ? sql`address = excluded.address,` : sql``} ${sql.ref(target)} = coalesce(${own}, excluded.${sql.ref(target)})
    returning ${columns(list)}`.execute(db);
  return rows;
}

/** Deletes entries that are locked, unless they are mapped or an open job needs them. The next shift that names one stores it again. */
export async function deleteListed(
  db: Db,
  { table, id, target }: MappedList,
  providerId: string,
  keys: readonly string[],
): Promise<void> {
  // A statement after that of the lock: it sees the job of the transaction that held the row.
  await sql`delete from ${sql.table(table)} as gone where provider_id = ${providerId} and ${sql.ref(target)} is null
    and ${sql.ref(id)} in (select key from ${jsonTexts(keys)} as listed (key))
    and not exists (select 1 from jobs where jobs.provider_id = gone.provider_id
      and jobs.${sql.ref(id)} = gone.${sql.ref(id)} and ${IS_LIVE})`.execute(db);
}

/** Maps an entry. Returns false if the provider has no entry with this id. */
async function mapListed(
  db: Db,
  { table, id, target }: MappedList,
  providerId: string,
  key: string,
  value: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(target)} = ${value}
    where provider_id = ${providerId} and ${sql.ref(id)} = ${key}`.execute(db);
  return numAffectedRows === 1n;
}

/** The first of them, in the order of their names; `count` is of all. */
interface MappedTo {
  count: number;
  first: { providerId: string; id: string; name: string }[];
}

/** Returns the entries of all organisations that are mapped to each target. A target without one is missing. */
export async function readMappedTo(
  db: Db,
  { table, id, target }: MappedList,
  targets: readonly string[],
): Promise<Map<string, MappedTo>> {
  if (targets.length === 0) return new Map();
  const { rows } = await sql<MappedTo & { target: string }>`
    select target, max(count)::int as count, json_agg(
      json_build_object('providerId', provider_id, 'id', id, 'name', name) order by place) as first
    from (
      select ${sql.ref(target)} as target, provider_id, ${sql.ref(id)} as id, name,
        row_number() over (partition by ${sql.ref(target)} order by name, provider_id, ${sql.ref(id)}) as place,
        count(*) over (partition by ${sql.ref(target)}) as count
      from ${sql.table(table)} where ${sql.ref(target)} in (${sql.join(targets)})) as mapped
    where place <= ${MOST_SHOWN}::int group by target`.execute(db);
  return new Map(rows.map((row) => [row.target, row]));
}

const MOST_SHOWN = 20;

/** Returns what an entry is mapped to, and locks the mapping. An unknown entry is stored, so that an operator can map it. */
export async function lockMapping(
  db: Db,
  { table, id, target }: MappedList,
  providerId: string,
  key: string,
  name = key,
): Promise<string | null> {
  await sql`insert into ${sql.table(table)} (provider_id, ${sql.ref(id)}, name) values (${providerId}, ${key}, ${name})
    on conflict do nothing`.execute(db);
  const { rows } = await sql<{ target: string | null }>`
    select ${sql.ref(target)} as target from ${sql.table(table)}
    where provider_id = ${providerId} and ${sql.ref(id)} = ${key} for share`.execute(db);
  return rows[0]?.target ?? null;
}

/**
 * Maps outlets to workplaces and roles to competences; what is not named stays. Jobs that waited go on.
 * @throws ProblemError validation_failed, naming each id that is not known.
 */
export async function updateMappings(deps: Deps, providerId: string, mappings: Mappings): Promise<Mappings> {
  return transact(deps, async (trx) => {
    const outlets = mappings.outlets.map(({ outletId: id, workplaceId: target }) => ({ id, target }));
    const roles = mappings.roles.map(({ roleId: id, competenceId: target }) => ({ id, target }));
    const before = mappingFields(await readMappings(trx, providerId));
    const errors = [
      ...(await writeAll(trx, OUTLETS, providerId, outlets)),
      ...(await writeAll(trx, ROLES, providerId, roles)),
    ];
    if (errors.length > 0) throw problem("validation_failed", { detail: "Nothing was mapped.", errors });
    await refreshWaiting(trx, deps, providerId);
    const after = await readMappings(trx, providerId);
    deps.audit?.note({ changes: changesOf(before, mappingFields(after)) });
    return after;
  });
}

/** In the order of the ids, as discovering does, so that two operators who map the same rows take turns. Returns the faults in the caller's order. */
async function writeAll(
  trx: Trx,
  list: MappedList,
  providerId: string,
  mappings: readonly { id: string; target: string }[],
): Promise<FieldError[]> {
  const faults: FieldError[] = [];
  const { table, targets } = list;
  const known = new Set((await readOptions(trx, list)).map(({ id }) => id));
  const [member, kind] = table === "outlets" ? ["outletId", "an outlet"] : ["roleId", "a role"];
  const [targetMember, targetKind] =
    targets === "workplaces" ? ["workplaceId", "workplace"] : ["competenceId", "competence"];
  const inOrder = [...mappings.entries()].sort(([, one], [, other]) => (one.id < other.id ? -1 : 1));
  for (const [index, { id, target }] of inOrder) {
    if (!known.has(target))
      faults[index] = { pointer: `/${table}/${index}/${targetMember}`, message: `is not a ${targetKind}` };
    else if (!(await mapListed(trx, list, providerId, id, target)))
      faults[index] = { pointer: `/${table}/${index}/${member}`, message: `is not ${kind} of this provider` };
  }
  return Object.values(faults);
}

async function readMappings(trx: Trx, providerId: string): Promise<Mappings> {
  const mapped = async (list: MappedList) =>
    (await readListed(trx, list, providerId))
      .flatMap(({ id, target }) => (target === null ? [] : [{ id, target }]))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  return {
    outlets: (await mapped(OUTLETS)).map(({ id, target }) => ({ outletId: id, workplaceId: target })),
    roles: (await mapped(ROLES)).map(({ id, target }) => ({ roleId: id, competenceId: target })),
  };
}

const mappingFields = ({ outlets, roles }: Mappings) =>
  Object.fromEntries([
    ...outlets.map(({ outletId, workplaceId }) => [`outlets/${outletId}`, workplaceId]),
    ...roles.map(({ roleId, competenceId }) => [`roles/${roleId}`, competenceId]),
  ]);

/** The shifts of future jobs whose mapping is another now need attention; issues that the mapping settles are closed. */
export async function refreshWaiting(trx: Trx, deps: Deps, providerId: string): Promise<void> {
  markRefreshDue(trx, deps, [{ providerId, key: "mapped" }]);
  // Of what is mapped, or forgotten, whether or not a job still waits for it.
  const isMapped = sql<boolean>`(
    code = 'outlet_not_mapped' and subject ->> 'outletId' not in (
      select outlet_id from outlets where provider_id = ${providerId} and workplace_id is null)
    or code = 'role_not_mapped' and subject ->> 'roleId' not in (
      select role_id from roles where provider_id = ${providerId} and competence_id is null))`;
  await resolveIssues(trx, deps, { providerId, where: isMapped });
}
