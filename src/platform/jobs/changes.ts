import type { Kysely } from "kysely";
import type { Schema } from "../db/schema.ts";

/** What an event can change of a job, in the words of the operations API. */
export type JobState = Readonly<Record<string, string | number | null>>;

export interface Change {
  field: string;
  from: string | number | null;
  to: string | number | null;
}

/** The job of a shift as it is now, with the number of its seats taken and of what candidates were told; undefined without a job. */
export async function readJobState(
  db: Kysely<Schema>,
  shift: { provider_id: string; shift_id: string },
): Promise<JobState | undefined> {
  const job = await db
    .selectFrom("jobs")
    .selectAll()
    .select(({ selectFrom, fn }) => [
      selectFrom("bookings")
        .select(fn.countAll<number>().as("n"))
        .whereRef("bookings.job_id", "=", "jobs.job_id")
        .where("bookings.status", "in", ["pending", "confirmed"])
        .as("booked"),
      selectFrom("notifications")
        .select(fn.countAll<number>().as("n"))
        .whereRef("notifications.job_id", "=", "jobs.job_id")
        .as("told"),
    ])
    .where("provider_id", "=", shift.provider_id)
    .where("shift_id", "=", shift.shift_id)
    .executeTakeFirst();
  return (
    job && {
      status: job.status,
      startTime: job.start_time.toISOString(),
      endTime: job.end_time.toISOString(),
      positions: job.positions,
      overfilled: String(job.overfilled),
      outletId: job.outlet_id,
      outletName: job.outlet_name,
      roleId: job.role_id,
      roleName: job.role_name,
      workplaceId: job.workplace_id,
      competenceId: job.competence_id,
      warnings: job.warnings.join("; "),
      bookings: job.booked,
      notifications: job.told,
    }
  );
}

/** Field by field; without a job before, every field of the new one comes from nothing. */
export function changesBetween(before: JobState | undefined, after: JobState | undefined): Change[] {
  return Object.keys({ ...before, ...after })
    .map((field) => ({ field, from: before?.[field] ?? null, to: after?.[field] ?? null }))
    .filter(({ from, to }) => from !== to);
}
