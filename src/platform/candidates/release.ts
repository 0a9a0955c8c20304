import { type Selectable, sql } from "kysely";
import { problem } from "../../contract/problem.ts";
import { jsonRows, jsonTexts } from "../db/fragments.ts";
import type { CandidatesTable } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../transaction.ts";
import { lockPeople } from "./candidate.ts";
import { competencesOf } from "./competences.ts";
import { EMAIL, FIRST_NAME, LAST_NAME, ofOrganisation, PHONE } from "./eligible.ts";
import { namedElsewhere, readConflicts } from "./sources.ts";

type Parts = Pick<Deps, "now">;

/**
 * Makes what an organisation's registry asserts about a person the company's own, which is valid everywhere. Returns the competences that it asserts.
 * @throws ProblemError candidate_not_found, also when the registry does not name the person.
 */
export async function release(
  trx: Trx,
  parts: Parts,
  { candidateId, providerId }: { candidateId: string; providerId: string },
): Promise<string[]> {
  const known = await lockMembers(trx, providerId, [candidateId]);
  if (known.length === 0)
    throw problem("candidate_not_found", {
      detail: "The registry of this organisation does not name the candidate.",
    });
  return releaseLocked(trx, parts, providerId, known);
}

/** What became of the people of a release of many. */
interface Many {
  released: string[];
  conflicting: string[];
  elsewhere: string[];
  unknown: string[];
  competenceIds: string[];
}

/**
 * Releases those of the people whom this registry alone names, and about whom the sources do not conflict: otherwise one organisation would say who
 * another's employee is, and an operator has to read what each asserts.
 */
export async function releaseMany(
  trx: Trx,
  parts: Parts,
  { candidateIds, providerId }: { candidateIds: readonly string[]; providerId: string },
): Promise<Many> {
  const wanted = [...new Set(candidateIds)];
  const known = await lockMembers(trx, providerId, wanted);
  const conflicts = await readConflicts(trx, known);
  const others = await namedElsewhere(trx, providerId, known);
  const released = known.filter((id) => !conflicts.has(id) && !others.has(id));
  return {
    released,
    conflicting: known.filter((id) => conflicts.has(id)),
    elsewhere: known.filter((id) => others.has(id) && !conflicts.has(id)),
    unknown: wanted.filter((id) => !known.includes(id)),
    competenceIds: await releaseLocked(trx, parts, providerId, released),
  };
}

const listed = (candidateIds: readonly string[]) =>
  sql`candidate_id in (select id::uuid from ${jsonTexts(candidateIds)} as listed (id))`;

/** Locks people, and returns those whom the registry names and who were not erased meanwhile. */
async function lockMembers(trx: Trx, providerId: string, candidateIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ hash: string | null }>`
    select personal_number_hash as hash from candidates where ${listed(candidateIds)}`.execute(trx);
  await lockPeople(
    trx,
    rows.flatMap(({ hash }) => hash ?? []),
  );
  const { rows: members } = await sql<{ candidateId: string }>`
    select candidate_id from memberships join candidates using (candidate_id)
    where provider_id = ${providerId} and ${listed(candidateIds)} and erased_at is null
    order by candidate_id`.execute(trx);
  return members.map(({ candidateId }) => candidateId);
}

type Released = Pick<
  Selectable<CandidatesTable>,
  "candidateId" | "firstName" | "lastName" | "email" | "phone"
>;

/** A distributed database does not write people and read what an organisation asserts in one statement. */
async function releaseLocked(
  trx: Trx,
  { now }: Parts,
  providerId: string,
  candidateIds: readonly string[],
): Promise<string[]> {
  if (candidateIds.length === 0) return [];
  await sql`
    update memberships set released_at = coalesce(released_at, ${now()})
    where provider_id = ${providerId} and ${listed(candidateIds)}`.execute(trx);
  const { rows: people } = await sql<Released>`
    select candidates.candidate_id, ${FIRST_NAME} as first_name, ${LAST_NAME} as last_name, ${EMAIL} as email, ${PHONE} as phone
    from candidates ${ofOrganisation(providerId)}
    where candidates.candidate_id in (select id::uuid from ${jsonTexts(candidateIds)} as listed (id))`.execute(
    trx,
  );
  await sql`
    update candidates set first_name = own."firstName", last_name = own."lastName", email = own.email, phone = own.phone,
      is_shared = true, updated_at = ${now()}
    from ${jsonRows(people)}
      as own ("candidateId" uuid, "firstName" text, "lastName" text, email text, phone text)
    where candidates.candidate_id = own."candidateId"`.execute(trx);
  const { rows: able } = await sql<{ candidateId: string; competenceId: string }>`
    select candidate_id, competence_id from membership_competences
    where provider_id = ${providerId} and ${listed(candidateIds)}`.execute(trx);
  await sql`
    insert into candidate_competences (candidate_id, competence_id)
    select "candidateId", "competenceId" from ${jsonRows(able)} as able ("candidateId" uuid, "competenceId" uuid)
    on conflict do nothing`.execute(trx);
  return competencesOf(trx, candidateIds);
}
