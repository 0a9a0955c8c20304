import { type RawBuilder, sql } from "kysely";
import type { RegistryImport } from "../../../../generated/operations/types.ts";
import { lockPeople } from "../../candidates/candidate.ts";
import { competencesOf, offerTo } from "../../candidates/competences.ts";
import { jsonRows } from "../../db/fragments.ts";
import type { Deps } from "../../deps.ts";
import type { Trx } from "../../transaction.ts";
import type { RegisteredPerson } from "./reading.ts";

type Counts = Pick<RegistryImport, "imported" | "updated" | "skipped">;

/**
 * Adds the candidates who are not known, and what the organisation asserts about each: the name, contact details and, of those who have none, the
 * competences that the roles of earlier shifts are mapped to. That is valid for its own shifts until an operator releases it. What is known stays, and
 * only what is missing is filled in (contract 1: profiles are the platform's). Decisions: having worked in a role is proof of the competence; roles
 * that are not mapped yet give none.
 */
export async function importPeople(
  trx: Trx,
  deps: Parts,
  providerId: string,
  registered: readonly RegisteredPerson[],
): Promise<Counts> {
  const people = registered.map((person) => ({ ...person, hash: deps.numbers.hash(person.number) }));
  await lockPeople(
    trx,
    people.map(({ hash }) => hash),
  );
  const added = await addNew(trx, deps, people);
  const known = await findKnown(trx, people);
  const asserted = await idsOf(trx, assert(providerId, known));
  const able = await assertCompetences(providerId, known).execute(trx);
  const changed = new Set([
    ...asserted,
    ...(await idsOf(trx, noteIds(providerId, known))),
    ...able.rows.map(({ candidateId }) => candidateId),
  ]);
  const given = able.rows.map(({ competenceId }) => competenceId);
  // Who was in no registry of this organisation may have competences from an operator.
  const own = await competencesOf(trx, asserted);
  await offerTo(trx, deps, [...new Set([...given, ...own])], { providerId, afterMs: OFFERED_AFTER_MS });
  const updated = [...changed].filter((candidateId) => !added.has(candidateId)).length;
  return { imported: added.size, updated, skipped: people.length - added.size - updated };
}

/** An import has many parts: the open jobs are read once for those of some seconds, not for each. */
const OFFERED_AFTER_MS = 2_000;

type Parts = Pick<Deps, "newId" | "now" | "numbers" | "wakeWorker">;
type Person = RegisteredPerson & { hash: string };
/** People with their candidates. */
type Known = readonly (Person & { candidateId: string })[];

/** A statement that returns candidates. */
type Statement = RawBuilder<{ candidateId: string }>;

async function idsOf(trx: Trx, statement: Statement): Promise<string[]> {
  const { rows } = await statement.execute(trx);
  return rows.map(({ candidateId }) => candidateId);
}

/**
 * Adds people who are neither known nor erased, and returns their candidates, who have no contact details that are valid for others. Most imports add no
 * people: a distributed database locks the whole table for an INSERT, even for one of no rows.
 */
async function addNew(
  trx: Trx,
  { newId, now, numbers }: Parts,
  people: readonly Person[],
): Promise<ReadonlySet<string>> {
  const { rows: old } = await sql<{ hash: string }>`
    select hash from ${jsonRows(hashesOf(people))} as listed (hash text)
    where hash in (select personal_number_hash from candidates) or hash in (select number_hash from erased_people)`.execute(
    trx,
  );
  const isOld = new Set(old.map(({ hash }) => hash));
  const rows = people
    .filter(({ hash }) => !isOld.has(hash))
    .map(({ number, hash: _, ...person }) => ({ ...person, ...numbers.columns(number), id: newId() }));
  if (rows.length === 0) return new Set();
  const at = now();
  const insertion: Statement = sql`
    insert into candidates (candidate_id, personal_number_sealed, personal_number_hash,
      first_name, last_name, email, phone, is_shared, created_at, updated_at)
    select id, "personalNumberSealed", "personalNumberHash",
      "firstName", "lastName", '', '', false, ${at}::timestamptz, ${at}::timestamptz
    from ${jsonRows(rows)}
      as person (id uuid, "personalNumberSealed" text, "personalNumberHash" text,
        "firstName" text, "lastName" text)
    on conflict do nothing
    returning candidate_id`;
  return new Set(await idsOf(trx, insertion));
}

/** Returns the people who have a candidate. */
async function findKnown(trx: Trx, people: readonly Person[]): Promise<Known> {
  const { rows } = await sql<{ candidateId: string; hash: string }>`
    select candidate_id, personal_number_hash as hash from candidates
    where personal_number_hash in (select hash from ${jsonRows(hashesOf(people))} as listed (hash text))`.execute(
    trx,
  );
  const candidates = new Map(rows.map(({ hash, candidateId }) => [hash, candidateId]));
  return people.flatMap((person) => {
    const candidateId = candidates.get(person.hash);
    return candidateId === undefined ? [] : [{ ...person, candidateId }];
  });
}

const hashesOf = (people: readonly Person[]) => people.map(({ hash }) => ({ hash }));

/** Notes what the organisation asserts about each, as far as it was missing. Returns the candidates of whom something was. */
function assert(providerId: string, people: Known): Statement {
  return sql`
    insert into memberships (provider_id, candidate_id, first_name, last_name, email, phone)
    select ${providerId}::uuid, "candidateId", "firstName", "lastName", email, phone
    from ${jsonRows(people)} as person ("candidateId" uuid, "firstName" text, "lastName" text, email text, phone text)
    order by "candidateId"
    on conflict (provider_id, candidate_id) do update set
      email = coalesce(nullif(memberships.email, ''), excluded.email),
      phone = coalesce(nullif(memberships.phone, ''), excluded.phone)
      where memberships.email = '' and excluded.email <> '' or memberships.phone = '' and excluded.phone <> ''
    returning candidate_id`;
}

/** Notes the ids at the provider. Returns the candidates whose id was another. */
function noteIds(providerId: string, people: Known): Statement {
  return sql`
    insert into provider_candidates (provider_id, candidate_id, provider_candidate_id, known_at)
    select ${providerId}::uuid, "candidateId", "providerCandidateId", clock_timestamp()
    from ${jsonRows(people)} as person ("candidateId" uuid, "providerCandidateId" text) order by "candidateId"
    on conflict (provider_id, candidate_id)
      do update set provider_candidate_id = excluded.provider_candidate_id, known_at = excluded.known_at, trouble = null
      where provider_candidates.provider_candidate_id is distinct from excluded.provider_candidate_id
    returning candidate_id`;
}

/** Of those who have none. Returns who got which. */
function assertCompetences(
  providerId: string,
  people: Known,
): RawBuilder<{ candidateId: string; competenceId: string }> {
  const worked = people.flatMap(({ candidateId, roleIds }) =>
    roleIds.map((roleId) => ({ candidateId, roleId })),
  );
  return sql`
    insert into membership_competences (provider_id, candidate_id, competence_id)
    select distinct ${providerId}::uuid, "candidateId", roles.competence_id
    from ${jsonRows(worked)} as worked ("candidateId" uuid, "roleId" text)
    join roles on roles.provider_id = ${providerId} and roles.role_id = worked."roleId"
    where roles.competence_id is not null
      and not exists (select 1 from candidates where candidate_id = "candidateId" and are_competences_decided)
      and not exists (select 1 from candidate_competences where candidate_id = "candidateId")
      and not exists (select 1 from membership_competences as asserted
        where asserted.provider_id = ${providerId} and asserted.candidate_id = "candidateId")
    on conflict do nothing
    returning candidate_id, competence_id`;
}
