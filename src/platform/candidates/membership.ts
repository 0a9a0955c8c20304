import { type RawBuilder, sql } from "kysely";
import { ROW_BY_ROW } from "../db/fragments.ts";

// Which people, and what of them, an organisation may use: what the company asserts is valid for every organisation, what a registry asserts for its own.

type Value = string | RawBuilder<unknown>;

/** Whether a person is valid for an organisation, over the table `candidates`. */
export const isValidFor = (providerId: Value): RawBuilder<boolean> => sql<boolean>`
  (candidates.is_shared or exists (select 1 from memberships
    where memberships.provider_id = ${providerId} and memberships.candidate_id = candidates.candidate_id ${ROW_BY_ROW}))`;

/** Whether a person has a competence, as far as an organisation is concerned. */
export const hasCompetence = (
  candidateId: RawBuilder<unknown>,
  providerId: Value,
  competenceId: Value | null,
): RawBuilder<boolean> => sql<boolean>`
  (exists (select 1 from candidate_competences as able
    where able.candidate_id = ${candidateId} and able.competence_id = ${competenceId} ${ROW_BY_ROW})
  or exists (select 1 from membership_competences as able where able.provider_id = ${providerId}
    and able.candidate_id = ${candidateId} and able.competence_id = ${competenceId} ${ROW_BY_ROW}))`;

/** The candidates who are valid for an organisation and have a competence, as a subquery with the column `candidate_id`. */
export const ablePeople = (providerId: Value, competenceId: Value | null): RawBuilder<unknown> => sql`
  (select candidate_id from candidate_competences as able
    where competence_id = ${competenceId} and exists (select 1 from candidates
      where candidates.candidate_id = able.candidate_id and ${isValidFor(providerId)} ${ROW_BY_ROW})
  union
  select candidate_id from membership_competences where provider_id = ${providerId} and competence_id = ${competenceId} ${ROW_BY_ROW})`;

/** Names and contact details as they are valid for an organisation, over `candidates` and, joined by `ofOrganisation`, `memberships`. */
export const FIRST_NAME = sql<string>`case when is_shared then candidates.first_name
  else coalesce(memberships.first_name, candidates.first_name) end`;
export const LAST_NAME = sql<string>`case when is_shared then candidates.last_name
  else coalesce(memberships.last_name, candidates.last_name) end`;
export const EMAIL = sql<string>`coalesce(nullif(candidates.email, ''), memberships.email, '')`;
export const PHONE = sql<string>`coalesce(nullif(candidates.phone, ''), memberships.phone, '')`;

export const ofOrganisation = (providerId: Value): RawBuilder<unknown> => sql`
  left join memberships on memberships.provider_id = ${providerId} and memberships.candidate_id = candidates.candidate_id`;
