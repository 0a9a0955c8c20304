import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Conflict } from "../../../generated/operations/types.ts";
import { jsonTexts } from "../db/fragments.ts";
import type { Schema } from "../db/schema.ts";

// What each source asserts about people: the company itself, and the registries, each of which is valid for its own organisation only.

/** What the registry of an organisation asserts about a person. */
export interface Asserted {
  candidateId: string;
  providerId: string;
  firstName: string;
  lastName: string;
  email: string;
  phone: string;
  since: Date;
  released: boolean;
}

const among = (candidateIds: readonly string[]) =>
  sql`candidate_id in (select id::uuid from ${jsonTexts(candidateIds)} as shown (id))`;

/** Returns what registries assert about people, those that named a person first in front. */
export async function readAsserted(
  db: Kysely<Schema>,
  candidateIds: readonly string[],
): Promise<Map<string, Asserted[]>> {
  const { rows } = await sql<Asserted>`
    select candidate_id, provider_id, first_name, last_name,
      email, phone, created_at as since, released_at is not null as released
    from memberships where ${among(candidateIds)} order by created_at, provider_id`.execute(db);
  return Map.groupBy(rows, ({ candidateId }) => candidateId);
}

interface Competence {
  candidateId: string;
  /** The organisation whose registry asserts it; null: the company. */
  providerId: string | null;
  competenceId: string;
}

/** Returns the competences of people, and who asserts each. */
export async function readCompetences(
  db: Kysely<Schema>,
  candidateIds: readonly string[],
): Promise<Map<string, Competence[]>> {
  const { rows } = await sql<Competence>`
    select candidate_id, null::uuid as provider_id, competence_id
      from candidate_competences where ${among(candidateIds)}
    union all select candidate_id, provider_id, competence_id from membership_competences where ${among(candidateIds)}
    order by 3`.execute(db);
  return Map.groupBy(rows, ({ candidateId }) => candidateId);
}

interface Unsubscription {
  candidateId: string;
  providerId: string;
  since: Date;
}

/** Returns the organisations of which people want no mail with offers. */
export async function readUnsubscriptions(
  db: Kysely<Schema>,
  candidateIds: readonly string[],
): Promise<Map<string, Unsubscription[]>> {
  const { rows } = await sql<Unsubscription>`
    select candidate_id, provider_id, unsubscribed_at as since
    from personal_links where ${among(candidateIds)} and unsubscribed_at is not null order by unsubscribed_at, provider_id`.execute(
    db,
  );
  return Map.groupBy(rows, ({ candidateId }) => candidateId);
}

/** Each in the form in which it is compared; null: the source asserts nothing. */
const NAME = (table: string) =>
  sql`lower(${sql.ref(`${table}.first_name`)} || ' ' || ${sql.ref(`${table}.last_name`)})`;
const EMAIL = (table: string) => sql`nullif(lower(${sql.ref(`${table}.email`)}), '')`;
/** A number has a country code or a zero in front of these. */
const PHONE = (table: string) =>
  sql`nullif(right(regexp_replace(${sql.ref(`${table}.phone`)}, '[^0-9]', '', 'g'), 9), '')`;

/** Of those without a name of the company's own, the registries alone are compared. */
const COMPARED: Record<Conflict, { own: RawBuilder<unknown>; asserted: RawBuilder<unknown> }> = {
  name: { own: sql`case when is_shared then ${NAME("candidates")} end`, asserted: NAME("memberships") },
  email: { own: EMAIL("candidates"), asserted: EMAIL("memberships") },
  phone: { own: PHONE("candidates"), asserted: PHONE("memberships") },
};

/**
 * Whether the sources assert different values, over the rows of one person. An empty value is not agreement: where the company has released or added the
 * person without one, or a registry names the person without one, another registry would fill it.
 */
const differ = (what: Conflict) => {
  const { own, asserted } = COMPARED[what];
  return sql`coalesce(least(min(${own}), min(${asserted})) <> greatest(max(${own}), max(${asserted})), false)
    or min(${own}) is null and min(${asserted}) is not null and bool_or(is_shared or ${asserted} is null)`;
};

/** Returns of what the sources assert different things. People without a conflict are missing. */
export async function readConflicts(
  db: Kysely<Schema>,
  candidateIds: readonly string[],
): Promise<Map<string, Conflict[]>> {
  const { rows } = await sql<Record<Conflict, boolean> & { candidateId: string }>`
    select * from (select candidate_id, ${differ("name")} as name, ${differ("email")} as email, ${differ("phone")} as phone
    from memberships join candidates using (candidate_id) where ${among(candidateIds)} group by candidate_id) as compared
    where name or email or phone`.execute(db);
  const names = Object.keys(COMPARED) as Conflict[];
  return new Map(
    rows.map(({ candidateId, ...differs }) => [candidateId, names.filter((name) => differs[name])]),
  );
}

/** Returns those of the people whom the registry of another organisation names, too. */
export async function namedElsewhere(
  db: Kysely<Schema>,
  providerId: string,
  candidateIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ candidateId: string }>`
    select distinct candidate_id from memberships
    where ${among(candidateIds)} and provider_id <> ${providerId}`.execute(db);
  return new Set(rows.map(({ candidateId }) => candidateId));
}

/** Returns how many people of an organisation's registry are valid for no other organisation. */
export async function countUnreleased(db: Kysely<Schema>, providerId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from memberships join candidates using (candidate_id)
    where provider_id = ${providerId} and not is_shared`.execute(db);
  return rows[0]?.count ?? 0;
}
