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
    select candidate_id as "candidateId", provider_id as "providerId", first_name as "firstName", last_name as "lastName",
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
    select candidate_id as "candidateId", null::uuid as "providerId", competence_id as "competenceId"
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
    select candidate_id as "candidateId", provider_id as "providerId", unsubscribed_at as since
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

/** Whether the sources assert different values, over the rows of one person. The empty value of a source counts for nothing. */
const differ = (what: Conflict) => {
  const { own, asserted } = COMPARED[what];
  return sql`coalesce(least(min(${own}), min(${asserted})) <> greatest(max(${own}), max(${asserted})), false)`;
};

const conflicts = (condition: RawBuilder<unknown>) => sql`
  select candidate_id, ${differ("name")} as name, ${differ("email")} as email, ${differ("phone")} as phone
  from memberships join candidates using (candidate_id) where ${condition} group by candidate_id`;

/** The people about whom the sources conflict, as a subquery with the column `candidate_id`. */
export const CONFLICTING = sql`
  (select candidate_id from (${conflicts(sql`true`)}) as compared where name or email or phone)`;

/** Returns of what the sources assert different things. People without a conflict are missing. */
export async function readConflicts(
  db: Kysely<Schema>,
  candidateIds: readonly string[],
): Promise<Map<string, Conflict[]>> {
  const { rows } = await sql<Record<Conflict, boolean> & { candidate_id: string }>`
    ${conflicts(among(candidateIds))}`.execute(db);
  const found = rows.map(({ candidate_id, ...differs }) => {
    const names = Object.keys(COMPARED) as Conflict[];
    return [candidate_id, names.filter((name) => differs[name])] as const;
  });
  return new Map(found.filter(([, names]) => names.length > 0));
}

/** Returns how many people of an organisation's registry are valid for no other organisation. */
export async function countUnreleased(db: Kysely<Schema>, providerId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from memberships join candidates using (candidate_id)
    where provider_id = ${providerId} and not is_shared`.execute(db);
  return rows[0]?.count ?? 0;
}
