import { sql } from "kysely";
import type { RegistryImport } from "../../../generated/operations/types.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../transaction.ts";
import type { RegisteredPerson } from "./registry-person.ts";

type Counts = Pick<RegistryImport, "imported" | "updated" | "skipped">;

/**
 * Adds who is not known and fills in what is missing of who is (CONTRACT 1: profiles are the platform's): a way to reach the
 * person, who the person is at the provider and, of somebody without any, the competences that the roles of earlier shifts are
 * mapped to. Decisions: having worked in a role is proof of the competence; roles that are not mapped yet give none. Only of
 * somebody whom no other organisation knows does a registry say how to reach the person: other organisations' shifts are told
 * there too.
 */
export async function importPeople(
  trx: Trx,
  deps: Parts,
  providerId: string,
  people: readonly RegisteredPerson[],
): Promise<Counts> {
  // In one order everywhere, so that two imports at once never wait for each other in a circle.
  const sorted = people.toSorted((one, other) => (one.number < other.number ? -1 : 1));
  const added = await addNew(trx, deps, sorted);
  const known = await readKnown(trx, sorted);
  const changed = new Set([
    ...(await fillIn(trx, deps, providerId, sorted)),
    ...(await noteIds(trx, providerId, sorted, known)),
    ...(await addCompetences(trx, providerId, sorted, known)),
  ]);
  const updated = [...changed].filter((candidateId) => !added.has(candidateId)).length;
  return { imported: added.size, updated, skipped: people.length - added.size - updated };
}

type Parts = Pick<Deps, "newId" | "now">;

interface Concerned {
  candidate_id: string;
}

const idsOf = (rows: readonly Concerned[]) => rows.map(({ candidate_id }) => candidate_id);

/** One parameter: a provider that knows no pages sends everybody at once, and a statement carries 65,535 at most. */
const asRows = (rows: readonly object[]) => sql`json_to_recordset(${JSON.stringify(rows)}::text::json)`;

/** Answers the ids of who was not known. */
async function addNew(
  trx: Trx,
  { newId, now }: Parts,
  people: readonly RegisteredPerson[],
): Promise<Set<string>> {
  const rows = people.map(({ number, firstName, lastName, email, phone }) => ({
    id: newId(),
    number,
    firstName,
    lastName,
    email,
    phone,
  }));
  const at = now();
  const added = await sql<Concerned>`
    insert into candidates
      (candidate_id, personal_number, first_name, last_name, email, phone, created_at, updated_at)
    select id, number, "firstName", "lastName", email, phone, ${at}::timestamptz, ${at}::timestamptz
    from ${asRows(rows)}
      as person (id uuid, number text, "firstName" text, "lastName" text, email text, phone text)
    on conflict (personal_number) do nothing
    returning candidate_id`.execute(trx);
  return new Set(idsOf(added.rows));
}

/** Candidates by personal number; locked, so that nobody is erased or changed in between. */
async function readKnown(trx: Trx, people: readonly RegisteredPerson[]): Promise<Map<string, string>> {
  const numbers = people.map(({ number }) => ({ number }));
  const { rows } = await sql<Concerned & { personal_number: string }>`
    select candidate_id, personal_number from candidates
    where personal_number in (select number from ${asRows(numbers)} as wanted (number text))
    order by personal_number for no key update`.execute(trx);
  return new Map(rows.map(({ personal_number, candidate_id }) => [personal_number, candidate_id]));
}

/** Of whom only this organisation has brought. Answers of whom something was missing. */
async function fillIn(
  trx: Trx,
  { now }: Parts,
  providerId: string,
  people: readonly RegisteredPerson[],
): Promise<string[]> {
  const rows = people.map(({ number, email, phone }) => ({ number, email, phone }));
  const filled = await sql<Concerned>`
    update candidates set updated_at = ${now()},
      email = coalesce(nullif(candidates.email, ''), person.email),
      phone = coalesce(nullif(candidates.phone, ''), person.phone)
    from ${asRows(rows)} as person (number text, email text, phone text)
    where candidates.personal_number = person.number
      and (candidates.email = '' and person.email <> '' or candidates.phone = '' and person.phone <> '')
      and (select bool_and(provider_id = ${providerId}) from provider_candidates
        where provider_candidates.candidate_id = candidates.candidate_id)
    returning candidates.candidate_id`.execute(trx);
  return idsOf(filled.rows);
}

/** Who each is at the provider. Answers of whom that was news. */
async function noteIds(
  trx: Trx,
  providerId: string,
  people: readonly RegisteredPerson[],
  known: Map<string, string>,
): Promise<string[]> {
  const rows = people.flatMap(({ number, providerCandidateId }) => {
    const candidateId = known.get(number);
    return candidateId ? [{ candidateId, providerCandidateId }] : [];
  });
  const noted = await sql<Concerned>`
    insert into provider_candidates (provider_id, candidate_id, provider_candidate_id)
    select ${providerId}::uuid, "candidateId", "providerCandidateId"
    from ${asRows(rows)} as person ("candidateId" uuid, "providerCandidateId" text)
    on conflict (provider_id, candidate_id)
      do update set provider_candidate_id = excluded.provider_candidate_id, trouble = null
      where provider_candidates.provider_candidate_id is distinct from excluded.provider_candidate_id
    returning candidate_id`.execute(trx);
  return idsOf(noted.rows);
}

/** Of those who have none; answers who got one. */
async function addCompetences(
  trx: Trx,
  providerId: string,
  people: readonly RegisteredPerson[],
  known: Map<string, string>,
): Promise<string[]> {
  const worked = people.flatMap(({ number, roleIds }) => {
    const candidateId = known.get(number);
    return candidateId ? [...new Set(roleIds)].map((roleId) => ({ candidateId, roleId })) : [];
  });
  if (worked.length === 0) return [];
  const { rows } = await sql<Concerned>`
    insert into candidate_competences (candidate_id, competence_id)
    select distinct worked."candidateId", roles.competence_id
    from ${asRows(worked)} as worked ("candidateId" uuid, "roleId" text)
    join roles on roles.provider_id = ${providerId} and roles.role_id = worked."roleId"
    where roles.competence_id is not null
      and not exists (select from candidate_competences where candidate_id = worked."candidateId")
    on conflict do nothing
    returning candidate_id`.execute(trx);
  return idsOf(rows);
}
