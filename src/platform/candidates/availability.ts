import { type RawBuilder, sql } from "kysely";
import type { Job } from "../db/schema.ts";

/** Whether a candidate has an offer of the job that was not withdrawn. */
export const hasOffer = (
  candidateId: RawBuilder<unknown>,
  { provider_id, job_id }: Pick<Job, "provider_id" | "job_id">,
): RawBuilder<boolean> => sql<boolean>`
  exists (select 1 from notifications where notifications.provider_id = ${provider_id}
    and notifications.job_id = ${job_id} and notifications.candidate_id = ${candidateId}
    and kind = 'job_offered' and withdrawn_at is null)`;

/** Whether the provider has assigned a candidate to the job itself. */
export const isOwnPerson = (
  candidateId: RawBuilder<unknown>,
  { provider_id, job_id }: Pick<Job, "provider_id" | "job_id">,
): RawBuilder<boolean> => sql<boolean>`
  exists (select 1 from own_people where own_people.provider_id = ${provider_id} and own_people.job_id = ${job_id}
    and own_people.candidate_id = ${candidateId})`;
