import { sql } from "kysely";
import { problem } from "../../contract/problem.ts";
import type { Database } from "../db/database.ts";
import type { Job } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { type Explanation, explain, type StaffingFacts } from "./explain.ts";

type Db = Database["kysely"];

const REASONS_AT_MOST = 5;

/**
 * Why is this job not staffed?
 * @throws ProblemError job_not_found
 */
export async function explainJob({ database }: Deps, jobId: string): Promise<Explanation> {
  const { kysely } = database;
  const job = await kysely.selectFrom("jobs").selectAll().where("job_id", "=", jobId).executeTakeFirst();
  if (!job) throw problem("job_not_found", { detail: "There is no job with this jobId." });
  return explain(await factsOf(kysely, job));
}

async function factsOf(db: Db, job: Job): Promise<StaffingFacts> {
  const { state } = await db
    .selectFrom("integrations")
    .select("state")
    .where("provider_id", "=", job.provider_id)
    .executeTakeFirstOrThrow();
  return {
    status: job.status,
    positions: job.positions,
    integration: state,
    outlet: { id: job.outlet_id, name: job.outlet_name, isMapped: job.workplace_id !== null },
    role: { id: job.role_id, name: job.role_name, isMapped: job.competence_id !== null },
    isCancelling: await isCancelling(db, job),
    pendingReason: await lastAnswer(db, job),
    lost: await lostSeats(db, job),
    events: await unsettledEvents(db, job),
    ...(await seats(db, job)),
    ...(await people(db, job)),
  };
}

async function isCancelling(db: Db, job: Job): Promise<boolean> {
  const row = await db
    .selectFrom("pending_operations")
    .select("operation_id")
    .where("provider_id", "=", job.provider_id)
    .where("shift_id", "=", job.shift_id)
    .executeTakeFirst();
  return row !== undefined;
}

function seats(db: Db, { job_id }: Job) {
  return db
    .selectFrom("bookings")
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere("status", "=", "confirmed").as("confirmed"),
      fn.countAll<number>().filterWhere("status", "=", "pending").as("pending"),
    ])
    .where("job_id", "=", job_id)
    .executeTakeFirstOrThrow();
}

/** The rule of matching/match.ts, counted. */
async function people(db: Db, job: Job): Promise<Pick<StaffingFacts, "able" | "busy" | "offered">> {
  const { rows } = await sql<{ able: number; busy: number; offered: number }>`
    with able as (
      select candidate_id,
        exists (select from bookings join jobs using (job_id)
          where bookings.candidate_id = able.candidate_id and bookings.status in ('pending', 'confirmed')
            and jobs.start_time < ${job.end_time} and jobs.end_time > ${job.start_time}) as busy,
        exists (select from notifications where notifications.candidate_id = able.candidate_id
          and notifications.job_id = ${job.job_id} and kind = 'job_offered') as offered
      from candidate_competences as able
      where competence_id = ${job.competence_id} and not exists (select from bookings
        where bookings.candidate_id = able.candidate_id and bookings.job_id = ${job.job_id}
          and bookings.status in ('pending', 'confirmed')))
    select count(*) as able, count(*) filter (where busy) as busy,
      count(*) filter (where offered and not busy) as offered
    from able`.execute(db);
  return rows[0] ?? { able: 0, busy: 0, offered: 0 };
}

/** Why the latest call for a booking has to be tried again; undefined when the latest call was answered. */
async function lastAnswer(db: Db, { job_id, trace_id }: Job): Promise<string | undefined> {
  const step = await db
    .selectFrom("trace_steps")
    .select("verdict")
    .where("trace_id", "=", trace_id)
    .where("job_id", "=", job_id)
    .where("step", "in", ["candidate", "assign"])
    .orderBy("step_id", "desc")
    .executeTakeFirst();
  return /^will be tried again: (.+)$/.exec(step?.verdict ?? "")?.[1];
}

async function lostSeats(db: Db, { job_id }: Job): Promise<StaffingFacts["lost"]> {
  const rows = await db
    .selectFrom("bookings")
    .select(({ fn, ref }) => [
      "status",
      fn.coalesce(ref("reason"), sql<string>`'no reason given'`).as("reason"),
      fn.countAll<number>().as("count"),
    ])
    .where("job_id", "=", job_id)
    .where("status", "in", ["released", "failed"])
    .groupBy(["status", "reason"])
    .orderBy(({ fn }) => fn.max("updated_at"), "desc")
    .limit(REASONS_AT_MOST)
    .$narrowType<{ status: "released" | "failed" }>()
    .execute();
  return rows;
}

function unsettledEvents(db: Db, job: Job): Promise<StaffingFacts["events"]> {
  return db
    .selectFrom("events")
    .select(["event", "status", "verdict"])
    .where("provider_id", "=", job.provider_id)
    .where("shift_id", "=", job.shift_id)
    .where("status", "in", ["queued", "failed", "dead"])
    .orderBy("event_id", "desc")
    .limit(REASONS_AT_MOST)
    .$narrowType<{ status: "queued" | "failed" | "dead" }>()
    .execute();
}
