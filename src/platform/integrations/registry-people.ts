import { sql } from "kysely";
import type { RegistryImport } from "../../../generated/operations/types.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";
import type { RegisteredPerson } from "./registry-person.ts";

type Counts = Pick<RegistryImport, "imported" | "updated" | "skipped">;

/**
 * Adds who is not known and fills in what is missing of who is (CONTRACT 1: profiles are the platform's): a way to reach the
 * person, who the person is at the provider and, of somebody without any, the competences that the roles of earlier shifts are
 * mapped to. Decision: having worked in a role is proof of the competence; roles that are not mapped yet give none.
 */
export async function importPeople(
  trx: Trx,
  deps: Deps,
  providerId: string,
  people: readonly RegisteredPerson[],
): Promise<Counts> {
  // In one order everywhere, so that two imports at once never wait for each other in a circle.
  const sorted = people.toSorted((one, other) => (one.number < other.number ? -1 : 1));
  const added = await addNew(trx, deps, sorted);
  const known = await readKnown(trx, sorted);
  const changed = new Set([
    ...(await fillIn(trx, deps, sorted, known)),
    ...(await noteIds(trx, providerId, sorted, known)),
    ...(await addCompetences(trx, providerId, sorted, known)),
  ]);
  const updated = [...changed].filter((candidateId) => !added.has(candidateId)).length;
  return { imported: added.size, updated, skipped: people.length - added.size - updated };
}

/** Answers the ids of who was not known. */
async function addNew(
  trx: Trx,
  { newId, now }: Deps,
  people: readonly RegisteredPerson[],
): Promise<Set<string>> {
  const at = now();
  const rows = people.map(({ number, firstName, lastName, email, phone }) => ({
    ...{
      candidate_id: newId(),
      personal_number: number,
      first_name: firstName,
      last_name: lastName,
      email,
      phone,
    },
    ...{ created_at: at, updated_at: at },
  }));
  if (rows.length === 0) return new Set();
  const added = await trx
    .insertInto("candidates")
    .values(rows)
    .onConflict((conflict) => conflict.column("personal_number").doNothing())
    .returning("candidate_id")
    .execute();
  return new Set(added.map(({ candidate_id }) => candidate_id));
}

interface Known {
  candidate_id: string;
  personal_number: string;
  email: string;
  phone: string;
}

/** By personal number; locked, so that nobody is erased or changed in between. */
async function readKnown(trx: Trx, people: readonly RegisteredPerson[]): Promise<Map<string, Known>> {
  if (people.length === 0) return new Map();
  const numbers = people.map(({ number }) => number);
  const rows = await trx
    .selectFrom("candidates")
    .select(["candidate_id", "personal_number", "email", "phone"])
    .where("personal_number", "in", numbers)
    .orderBy("personal_number")
    .forNoKeyUpdate()
    .execute();
  return new Map(rows.map((row) => [row.personal_number, row]));
}

/** Answers of whom something was missing. */
async function fillIn(
  trx: Trx,
  { now }: Deps,
  people: readonly RegisteredPerson[],
  known: Map<string, Known>,
): Promise<string[]> {
  const changed: string[] = [];
  for (const { number, email, phone } of people) {
    const before = known.get(number);
    if (!before) continue;
    const after = { email: before.email || email, phone: before.phone || phone };
    if (after.email === before.email && after.phone === before.phone) continue;
    await trx
      .updateTable("candidates")
      .set({ ...after, updated_at: now() })
      .where("candidate_id", "=", before.candidate_id)
      .execute();
    changed.push(before.candidate_id);
  }
  return changed;
}

/** Who each is at the provider. Answers of whom that was news. */
async function noteIds(
  trx: Trx,
  provider_id: string,
  people: readonly RegisteredPerson[],
  known: Map<string, Known>,
): Promise<string[]> {
  const rows = people.flatMap(({ number, providerCandidateId }) => {
    const candidate_id = known.get(number)?.candidate_id;
    return candidate_id ? [{ provider_id, candidate_id, provider_candidate_id: providerCandidateId }] : [];
  });
  if (rows.length === 0) return [];
  const noted = await trx
    .insertInto("provider_candidates")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(["provider_id", "candidate_id"])
        .doUpdateSet(({ ref }) => ({ provider_candidate_id: ref("excluded.provider_candidate_id") }))
        .whereRef("provider_candidates.provider_candidate_id", "!=", "excluded.provider_candidate_id"),
    )
    .returning("candidate_id")
    .execute();
  return noted.map(({ candidate_id }) => candidate_id);
}

/** Of those who have none; answers who got one. */
async function addCompetences(
  trx: Trx,
  providerId: string,
  people: readonly RegisteredPerson[],
  known: Map<string, Known>,
): Promise<string[]> {
  const worked = people.flatMap(({ number, roleIds }) => {
    const candidateId = known.get(number)?.candidate_id;
    return candidateId ? [...new Set(roleIds)].map((roleId) => ({ candidateId, roleId })) : [];
  });
  if (worked.length === 0) return [];
  const { rows } = await sql<{ candidate_id: string }>`
    insert into candidate_competences (candidate_id, competence_id)
    select distinct worked."candidateId", roles.competence_id
    from json_to_recordset(${JSON.stringify(worked)}::text::json) as worked ("candidateId" uuid, "roleId" text)
    join roles on roles.provider_id = ${providerId} and roles.role_id = worked."roleId"
    where roles.competence_id is not null
      and not exists (select from candidate_competences where candidate_id = worked."candidateId")
    on conflict do nothing
    returning candidate_id`.execute(trx);
  return rows.map(({ candidate_id }) => candidate_id);
}
