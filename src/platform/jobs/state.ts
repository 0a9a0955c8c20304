import type { Kysely } from "kysely";
import { HOLDS_SEAT } from "../candidates/availability.ts";
import type { Schema } from "../db/schema.ts";

/** What an event can change of a job, in the words of the operations API. */
export type JobState = Readonly<Record<string, string | number | null>>;

export interface Change {
  field: string;
  from: string | number | null;
  to: string | number | null;
}

/** The job of a shift as it is now, with how many seats are taken and how many notifications there are; undefined without a job. */
export async function readJobState(
  db: Kysely<Schema>,
  { providerId, shiftId }: { providerId: string; shiftId: string },
): Promise<JobState | undefined> {
  const job = await db
    .selectFrom("jobs")
    .selectAll()
    .select(({ selectFrom, fn }) => [
      selectFrom("bookings")
        .select(fn.countAll<number>().as("n"))
        .whereRef("bookings.provider_id", "=", "jobs.provider_id")
        .whereRef("bookings.job_id", "=", "jobs.job_id")
        .where(HOLDS_SEAT)
        .as("booked"),
      selectFrom("notifications")
        .select(fn.countAll<number>().as("n"))
        .whereRef("notifications.provider_id", "=", "jobs.provider_id")
        .whereRef("notifications.job_id", "=", "jobs.job_id")
        .as("notified"),
    ])
    .where("provider_id", "=", providerId)
    .where("shift_id", "=", shiftId)
    .executeTakeFirst();
  return (
    job && {
      ...{ status: job.status, startTime: job.start_time.toISOString(), endTime: job.end_time.toISOString() },
      ...{ positions: job.positions, overfilled: String(job.overfilled), ownPeople: job.own_people_count },
      ...{
        outletId: job.outlet_id,
        outletName: job.outlet_name,
        roleId: job.role_id,
        roleName: job.role_name,
      },
      ...{
        workplaceId: job.workplace_id,
        competenceId: job.competence_id,
        warnings: job.warnings.join(", "),
      },
      ...{ bookings: job.booked, notifications: job.notified },
    }
  );
}

/** Field by field; without a job before, every field of the new one comes from nothing. */
export function changesBetween(before: JobState | undefined, after: JobState | undefined): Change[] {
  return Object.keys({ ...before, ...after })
    .map((field) => ({ field, from: before?.[field] ?? null, to: after?.[field] ?? null }))
    .filter(({ from, to }) => from !== to);
}
