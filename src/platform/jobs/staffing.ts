import { sql } from "kysely";
import type { Explanation, Params } from "../../../generated/operations/types.ts";
import { MINUTE_MS } from "../../contract/durations.ts";
import { hasOffer, isOwnPerson } from "../candidates/availability.ts";
import { readBusy } from "../candidates/busy.ts";
import { ablePeople } from "../candidates/membership.ts";
import type { Database } from "../db/database.ts";
import { HOLDS_SEAT } from "../db/fragments.ts";
import type { Job } from "../db/schema.ts";
import type { Deps, OfferWaves } from "../deps.ts";
import { waveKey } from "../work/refresh.ts";
import { explain, type StaffingFacts } from "./explain.ts";
import { isBeingCancelled, unknownJob } from "./job.ts";

type Db = Database["kysely"];

const REASONS_AT_MOST = 5;

/**
 * Explains why a job is not staffed.
 * @throws ProblemError job_not_found
 */
export async function explainJob(
  { database, offerWaves }: Pick<Deps, "database" | "offerWaves">,
  jobId: string,
): Promise<Explanation> {
  const { kysely } = database;
  const job = await kysely
    .selectFrom("jobs")
    .selectAll()
    .where("job_id", "=", jobId)
    .executeTakeFirstOrThrow(unknownJob);
  const explanation = { jobId, ...explain(await factsOf(kysely, job)) };
  if (offerWaves.size === 0 || job.status !== "open") return explanation;
  return { ...explanation, waves: await readWaves(kysely, job, offerWaves) };
}

async function readWaves(
  db: Db,
  { provider_id, shift_id }: Job,
  { size, pauseMs }: OfferWaves,
): Promise<NonNullable<Explanation["waves"]>> {
  const next = await db
    .selectFrom("work")
    .select("due_at")
    .where("provider_id", "=", provider_id)
    .where("kind", "=", "refresh")
    .where("key", "=", waveKey(shift_id))
    .executeTakeFirst();
  const pauseMinutes = pauseMs / MINUTE_MS;
  return { size, pauseMinutes, ...(next && { nextAt: next.due_at.toISOString() }) };
}

async function factsOf(db: Db, job: Job): Promise<StaffingFacts> {
  const { state, paused_since } = await db
    .selectFrom("integrations")
    .select(["state", "paused_since"])
    .where("provider_id", "=", job.provider_id)
    .executeTakeFirstOrThrow();
  return {
    status: job.status,
    positions: job.positions,
    ownPeople: job.own_people_count,
    integration: state,
    isPaused: paused_since !== null,
    outlet: { id: job.outlet_id, name: job.outlet_name, isMapped: job.workplace_id !== null },
    role: { id: job.role_id, name: job.role_name, isMapped: job.competence_id !== null },
    isCancelling: job.status !== "cancelled" && (await isBeingCancelled(db, job)),
    pendingFailure: await lastFailure(db, job),
    lost: await lostSeats(db, job),
    events: await unsettledEvents(db, job),
    ...(await seats(db, job)),
    ...(await people(db, job)),
  };
}

function seats(db: Db, { provider_id, job_id }: Job) {
  return db
    .selectFrom("bookings")
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere("status", "=", "confirmed").as("confirmed"),
      fn.countAll<number>().filterWhere("status", "=", "pending").as("pending"),
    ])
    .where("provider_id", "=", provider_id)
    .where("job_id", "=", job_id)
    .executeTakeFirstOrThrow();
}

/** Counts the candidates who have the competence and are not on this job. */
async function people(db: Db, job: Job): Promise<Pick<StaffingFacts, "able" | "busy" | "offered">> {
  const { rows: able } = await sql<{ candidate_id: string; offered: boolean }>`
    select candidate_id, ${hasOffer(sql`able.candidate_id`, job)} as offered
    from ${ablePeople(job.provider_id, job.competence_id)} as able
    where not exists (select 1 from bookings
      where bookings.provider_id = ${job.provider_id} and bookings.job_id = ${job.job_id}
        and bookings.candidate_id = able.candidate_id and ${HOLDS_SEAT})
      and not ${isOwnPerson(sql`able.candidate_id`, job)}`.execute(db);
  const ids = able.map(({ candidate_id }) => candidate_id);
  const busy = await readBusy(db, ids, job);
  const offered = able.filter((person) => person.offered && !busy.has(person.candidate_id));
  return { able: able.length, busy: busy.size, offered: offered.length };
}

/** Returns why the latest call for a booking has to be retried. */
async function lastFailure(db: Db, { provider_id, job_id, trace_id }: Job): Promise<Params | undefined> {
  const step = await db
    .selectFrom("trace_steps")
    .select(["code", "params"])
    .where("provider_id", "=", provider_id)
    .where("trace_id", "=", trace_id)
    .where((where) => where.or([where("job_id", "=", job_id), where("job_id", "is", null)]))
    .where("step", "in", ["candidate", "assign"])
    .orderBy("step_id", "desc")
    .executeTakeFirst();
  return step?.code === "will_retry" ? step.params : undefined;
}

async function lostSeats(db: Db, { provider_id, job_id }: Job): Promise<StaffingFacts["lost"]> {
  return db
    .selectFrom("bookings")
    .select(({ fn }) => ["status", "reason", fn.countAll<number>().as("count")])
    .where("provider_id", "=", provider_id)
    .where("job_id", "=", job_id)
    .where("status", "in", ["released", "failed"])
    .groupBy(["status", "reason"])
    .orderBy(({ fn }) => fn.max("updated_at"), "desc")
    .limit(REASONS_AT_MOST)
    .$narrowType<{ status: "released" | "failed" }>()
    .execute();
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
