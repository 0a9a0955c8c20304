import { type RawBuilder, sql } from "kysely";
import type { RegistryImport } from "../../../generated/operations/types.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../transaction.ts";
import type { RegisteredPerson } from "./registry-person.ts";

type Counts = Pick<RegistryImport, "imported" | "updated" | "skipped">;

/**
 * Adds the candidates who are not known and fills in what is missing of those who are (contract 1: profiles are the platform's): contact
 * details, the id at the provider and, where there are none, the competences that the roles of earlier shifts are mapped to. Decisions:
 * having worked in a role is proof of the competence; roles that are not mapped yet give none. A registry gives contact details only of
 * candidates whom no other organisation knows: notifications of other organisations' shifts go there too.
 */
export async function importPeople(
  trx: Trx,
  deps: Parts,
  providerId: string,
  people: readonly RegisteredPerson[],
): Promise<Counts> {
  // In one order everywhere, so that two imports at once never wait for each other in a circle.
  const sorted = people.toSorted((one, other) => (one.number < other.number ? -1 : 1));
  const added = new Set(await idsOf(trx, addNew(deps, sorted)));
  await lockPeople(trx, sorted);
  const changed = new Set([
    ...(await idsOf(trx, fillIn(deps, providerId, sorted))),
    ...(await idsOf(trx, noteIds(providerId, sorted))),
    ...(await idsOf(trx, addCompetences(providerId, sorted))),
  ]);
  const updated = [...changed].filter((candidateId) => !added.has(candidateId)).length;
  return { imported: added.size, updated, skipped: people.length - added.size - updated };
}

type Parts = Pick<Deps, "newId" | "now">;
type People = readonly RegisteredPerson[];

/** A statement that returns candidates. */
type Statement = RawBuilder<{ candidate_id: string }>;

async function idsOf(trx: Trx, statement: Statement): Promise<string[]> {
  const { rows } = await statement.execute(trx);
  return rows.map(({ candidate_id }) => candidate_id);
}

/** One parameter: a provider without pages sends all people at once, and a statement carries 65,535 at most. */
const asRows = (rows: readonly object[]) => sql`json_to_recordset(${JSON.stringify(rows)}::text::json)`;

/** Returns the candidates who were not known. */
function addNew({ newId, now }: Parts, people: People): Statement {
  const rows = people.map((person) => ({ ...person, id: newId() }));
  const at = now();
  return sql`
    insert into candidates
      (candidate_id, personal_number, first_name, last_name, email, phone, created_at, updated_at)
    select id, number, "firstName", "lastName", email, phone, ${at}::timestamptz, ${at}::timestamptz
    from ${asRows(rows)}
      as person (id uuid, number text, "firstName" text, "lastName" text, email text, phone text)
    on conflict (personal_number) do nothing
    returning candidate_id`;
}

/** None of them is erased or changed in between. */
async function lockPeople(trx: Trx, people: People): Promise<void> {
  await sql`
    select from candidates where personal_number in (select number from ${asRows(people)} as wanted (number text))
    order by personal_number for no key update`.execute(trx);
}

/** Of those whom no other organisation knows. Returns the candidates of whom something was missing. */
function fillIn({ now }: Parts, providerId: string, people: People): Statement {
  return sql`
    update candidates set updated_at = ${now()},
      email = coalesce(nullif(candidates.email, ''), person.email),
      phone = coalesce(nullif(candidates.phone, ''), person.phone)
    from ${asRows(people)} as person (number text, email text, phone text)
    where candidates.personal_number = person.number
      and (candidates.email = '' and person.email <> '' or candidates.phone = '' and person.phone <> '')
      and (select bool_and(provider_id = ${providerId}) from provider_candidates
        where provider_candidates.candidate_id = candidates.candidate_id)
    returning candidates.candidate_id`;
}

/** Notes the ids at the provider. Returns the candidates whose id was another. */
function noteIds(providerId: string, people: People): Statement {
  return sql`
    insert into provider_candidates (provider_id, candidate_id, provider_candidate_id)
    select ${providerId}::uuid, candidate_id, "providerCandidateId"
    from ${asRows(people)} as person (number text, "providerCandidateId" text)
    join candidates on personal_number = number order by number
    on conflict (provider_id, candidate_id)
      do update set provider_candidate_id = excluded.provider_candidate_id, trouble = null
      where provider_candidates.provider_candidate_id is distinct from excluded.provider_candidate_id
    returning candidate_id`;
}

/** Of those who have none. Returns the candidates who got one. */
function addCompetences(providerId: string, people: People): Statement {
  const worked = people.flatMap(({ number, roleIds }) => roleIds.map((roleId) => ({ number, roleId })));
  return sql`
    insert into candidate_competences (candidate_id, competence_id)
    select distinct candidates.candidate_id, roles.competence_id
    from ${asRows(worked)} as worked (number text, "roleId" text)
    join candidates on personal_number = number
    join roles on roles.provider_id = ${providerId} and roles.role_id = worked."roleId"
    where roles.competence_id is not null and not exists (
      select from candidate_competences where candidate_id = candidates.candidate_id)
    on conflict do nothing
    returning candidate_id`;
}
