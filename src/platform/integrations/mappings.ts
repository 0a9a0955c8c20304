import { sql } from "kysely";
import type { Mappings } from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import type { Deps } from "../deps.ts";
import { type Trx, transact } from "../transaction.ts";
import { markShiftsDue, PRIORITY } from "../work/due.ts";

/**
 * Maps outlets to workplaces and roles to competences; what is not named stays. Jobs that waited go on.
 * @throws ProblemError validation_failed, naming each id that is not known.
 */
export async function updateMappings(deps: Deps, providerId: string, mappings: Mappings): Promise<Mappings> {
  return transact(deps, async (trx) => {
    const errors = [
      ...(await writeOutlets(trx, providerId, mappings)),
      ...(await writeRoles(trx, providerId, mappings)),
    ];
    if (errors.length > 0) throw problem("validation_failed", { detail: "Nothing was mapped.", errors });
    await refreshWaiting(trx, deps, providerId);
    return readMappings(trx, providerId);
  });
}

interface Fault {
  pointer: string;
  message: string;
}

/** With their places. Two who map the same rows take turns when both go through them in the order of the ids, as discovering does. */
function inOrder<Item>(items: readonly Item[], idOf: (item: Item) => string): [number, Item][] {
  const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other));
  return [...items.entries()].sort(([, one], [, other]) => compare(idOf(one), idOf(other)));
}

async function writeOutlets(trx: Trx, providerId: string, { outlets }: Mappings): Promise<Fault[]> {
  const faults: Fault[] = [];
  const known = await trx.selectFrom("workplaces").select("workplace_id").execute();
  const workplaces = new Set(known.map(({ workplace_id }) => workplace_id));
  for (const [index, { outletId, workplaceId }] of inOrder(outlets, (each) => each.outletId)) {
    if (!workplaces.has(workplaceId.toLowerCase())) {
      faults[index] = { pointer: `/outlets/${index}/workplaceId`, message: "is not a workplace" };
      continue;
    }
    const { numUpdatedRows } = await trx
      .updateTable("outlets")
      .set({ workplace_id: workplaceId })
      .where("provider_id", "=", providerId)
      .where("outlet_id", "=", outletId)
      .executeTakeFirst();
    if (numUpdatedRows === 0n)
      faults[index] = { pointer: `/outlets/${index}/outletId`, message: "is not an outlet of this provider" };
  }
  // In the caller's order.
  return Object.values(faults);
}

async function writeRoles(trx: Trx, providerId: string, { roles }: Mappings): Promise<Fault[]> {
  const faults: Fault[] = [];
  const known = await trx.selectFrom("competences").select("competence_id").execute();
  const competences = new Set(known.map(({ competence_id }) => competence_id));
  for (const [index, { roleId, competenceId }] of inOrder(roles, (each) => each.roleId)) {
    if (!competences.has(competenceId.toLowerCase())) {
      faults[index] = { pointer: `/roles/${index}/competenceId`, message: "is not a competence" };
      continue;
    }
    const { numUpdatedRows } = await trx
      .updateTable("roles")
      .set({ competence_id: competenceId })
      .where("provider_id", "=", providerId)
      .where("role_id", "=", roleId)
      .executeTakeFirst();
    if (numUpdatedRows === 0n)
      faults[index] = { pointer: `/roles/${index}/roleId`, message: "is not a role of this provider" };
  }
  // In the caller's order.
  return Object.values(faults);
}

async function readMappings(trx: Trx, providerId: string): Promise<Mappings> {
  const outlets = await trx
    .selectFrom("outlets")
    .select(["outlet_id as outletId", "workplace_id as workplaceId"])
    .where("provider_id", "=", providerId)
    .where("workplace_id", "is not", null)
    .orderBy("outlet_id")
    .$narrowType<{ workplaceId: string }>()
    .execute();
  const roles = await trx
    .selectFrom("roles")
    .select(["role_id as roleId", "competence_id as competenceId"])
    .where("provider_id", "=", providerId)
    .where("competence_id", "is not", null)
    .orderBy("role_id")
    .$narrowType<{ competenceId: string }>()
    .execute();
  return { outlets, roles };
}

/** The shifts of future jobs whose mapping is another now need attention; issues that the mapping answers are closed. */
export async function refreshWaiting(trx: Trx, deps: Deps, providerId: string): Promise<void> {
  const outdated = sql`
    select jobs.provider_id, jobs.shift_id from jobs
    join outlets on outlets.provider_id = jobs.provider_id and outlets.outlet_id = jobs.outlet_id
    join roles on roles.provider_id = jobs.provider_id and roles.role_id = jobs.role_id
    where jobs.provider_id = ${providerId} and jobs.status in ('blocked_mapping', 'open', 'filled')
      and (jobs.workplace_id is distinct from outlets.workplace_id
        or jobs.competence_id is distinct from roles.competence_id)`;
  await markShiftsDue(trx, deps, outdated, PRIORITY.event);
  await settleMapped(trx, deps, providerId);
}

/** Of what is mapped, or forgotten, whether or not a job still waits for it. */
async function settleMapped(trx: Trx, { now }: Deps, providerId: string): Promise<void> {
  await sql`
    update issues set resolved_at = ${now()}
    where provider_id = ${providerId} and resolved_at is null and (
      code = 'outlet_not_mapped' and subject ->> 'outletId' not in (
        select outlet_id from outlets where provider_id = ${providerId} and workplace_id is null)
      or code = 'role_not_mapped' and subject ->> 'roleId' not in (
        select role_id from roles where provider_id = ${providerId} and competence_id is null))`.execute(trx);
}
