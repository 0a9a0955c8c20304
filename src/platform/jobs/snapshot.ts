import { type Kysely, sql } from "kysely";
import { HOLDS_SEAT } from "../db/fragments.ts";
import type { Schema } from "../db/schema.ts";

/** Everything about a job that an event can change, under the names of the operations API. */
export type JobSnapshot = Readonly<Record<string, string | number | null>>;

export interface Change {
  field: string;
  from: string | number | null;
  to: string | number | null;
}

/** Returns the job of a shift, with the number of its bookings and notifications; undefined without a job. */
export async function readSnapshot(
  db: Kysely<Schema>,
  { providerId, shiftId }: { providerId: string; shiftId: string },
): Promise<JobSnapshot | undefined> {
  const { rows } = await sql<{ state: JobSnapshot }>`
    select jsonb_build_object('status', status, 'startTime', ${inUtc("start_time")}, 'endTime', ${inUtc("end_time")},
      'positions', positions, 'overfilled', overfilled::text, 'ownPeopleCount', own_people_count,
      'outletId', outlet_id, 'outletName', outlet_name, 'roleId', role_id, 'roleName', role_name,
      'workplaceId', workplace_id, 'competenceId', competence_id,
      'warnings', (select coalesce(string_agg(warning, '; '), '') from jsonb_array_elements_text(warnings) as warning),
      'bookings', (select count(*) from bookings where (provider_id, job_id) = (jobs.provider_id, jobs.job_id) and ${HOLDS_SEAT}),
      'notifications', (select count(*) from notifications where (provider_id, job_id) = (jobs.provider_id, jobs.job_id))) as state
    from jobs where provider_id = ${providerId} and shift_id = ${shiftId}`.execute(db);
  return rows[0]?.state;
}

const inUtc = (column: "start_time" | "end_time") =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Returns the fields that differ. For a new job, every field changes from null. */
export function changesBetween(before: JobSnapshot | undefined, after: JobSnapshot | undefined): Change[] {
  return Object.keys({ ...before, ...after })
    .map((field) => ({ field, from: before?.[field] ?? null, to: after?.[field] ?? null }))
    .filter(({ from, to }) => from !== to);
}
