import { sql } from "kysely";
import type { FieldError, Mappings } from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import { changesOf } from "../access/audit.ts";
import type { Deps } from "../deps.ts";
import { resolveIssues } from "../issues.ts";
import { type Trx, transact } from "../transaction.ts";
import { markRefreshDue } from "../work/refresh.ts";
import { type MappedList, mapListed, OUTLETS, ROLES, readListed, readOptions } from "./mapped-lists.ts";

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
