import { sql } from "kysely";
import type { Explanation, Params } from "../../../generated/operations/types.ts";
import { MINUTE_MS } from "../../contract/durations.ts";
import { hasOffer, isOwnPerson, readBusy } from "../candidates/busy.ts";
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
    .where("jobId", "=", jobId)
    .executeTakeFirstOrThrow(unknownJob);
  const explanation = { jobId, ...explain(await factsOf(kysely, job)) };
  if (offerWaves.size === 0 || job.status !== "open") return explanation;
  return { ...explanation, waves: await readWaves(kysely, job, offerWaves) };
}

async function readWaves(
  db: Db,
  { providerId, shiftId }: Job,
  { size, pauseMs }: OfferWaves,
): Promise<NonNullable<Explanation["waves"]>> {
  const next = await db
    .selectFrom("work")
    .select("dueAt")
    .where("providerId", "=", providerId)
    .where("kind", "=", "refresh")
    .where("key", "=", waveKey(shiftId))
    .executeTakeFirst();
  const pauseMinutes = pauseMs / MINUTE_MS;
  return { size, pauseMinutes, ...(next && { nextAt: next.dueAt.toISOString() }) };
}

async function factsOf(db: Db, job: Job): Promise<StaffingFacts> {
  const { state, pausedSince } = await db
    .selectFrom("integrations")
    .select(["state", "pausedSince"])
    .where("providerId", "=", job.providerId)
    .executeTakeFirstOrThrow();
  return {
    status: job.status,
    positions: job.positions,
    ownPeople: job.ownPeopleCount,
    integration: state,
    isPaused: pausedSince !== null,
    outlet: { id: job.outletId, name: job.outletName, isMapped: job.workplaceId !== null },
    role: { id: job.roleId, name: job.roleName, isMapped: job.competenceId !== null },
    isCancelling: job.status !== "cancelled" && (await isBeingCancelled(db, job)),
    pendingFailure: await lastFailure(db, job),
    lost: await lostSeats(db, job),
    events: await unsettledEvents(db, job),
    ...(await seats(db, job)),
    ...(await people(db, job)),
  };
}

function seats(db: Db, { providerId, jobId }: Job) {
  return db
    .selectFrom("bookings")
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere("status", "=", "confirmed").as("confirmed"),
      fn.countAll<number>().filterWhere("status", "=", "pending").as("pending"),
    ])
    .where("providerId", "=", providerId)
    .where("jobId", "=", jobId)
    .executeTakeFirstOrThrow();
}

/** Counts the candidates who have the competence and are not on this job. */
async function people(db: Db, job: Job): Promise<Pick<StaffingFacts, "able" | "busy" | "offered">> {
  const { rows: able } = await sql<{ candidateId: string; offered: boolean }>`
    select candidate_id, ${hasOffer(sql`able.candidate_id`, job)} as offered
    from ${ablePeople(job.providerId, job.competenceId)} as able
    where not exists (select 1 from bookings
      where bookings.provider_id = ${job.providerId} and bookings.job_id = ${job.jobId}
        and bookings.candidate_id = able.candidate_id and ${HOLDS_SEAT})
      and not ${isOwnPerson(sql`able.candidate_id`, job)}`.execute(db);
  const ids = able.map(({ candidateId }) => candidateId);
  const busy = await readBusy(db, ids, job);
  const offered = able.filter((person) => person.offered && !busy.has(person.candidateId));
  return { able: able.length, busy: busy.size, offered: offered.length };
}

/** Returns why the latest call for a booking has to be retried. */
async function lastFailure(db: Db, { providerId, jobId, traceId }: Job): Promise<Params | undefined> {
  const step = await db
    .selectFrom("traceSteps")
    .select(["code", "params"])
    .where("providerId", "=", providerId)
    .where("traceId", "=", traceId)
    .where((where) => where.or([where("jobId", "=", jobId), where("jobId", "is", null)]))
    .where("step", "in", ["candidate", "assign"])
    .orderBy("stepId", "desc")
    .executeTakeFirst();
  return step?.code === "will_retry" ? step.params : undefined;
}

async function lostSeats(db: Db, { providerId, jobId }: Job): Promise<StaffingFacts["lost"]> {
  return db
    .selectFrom("bookings")
    .select(({ fn }) => ["status", "reason", fn.countAll<number>().as("count")])
    .where("providerId", "=", providerId)
    .where("jobId", "=", jobId)
    .where("status", "in", ["released", "failed"])
    .groupBy(["status", "reason"])
    .orderBy(({ fn }) => fn.max("updatedAt"), "desc")
    .limit(REASONS_AT_MOST)
    .$narrowType<{ status: "released" | "failed" }>()
    .execute();
}

function unsettledEvents(db: Db, job: Job): Promise<StaffingFacts["events"]> {
  return db
    .selectFrom("events")
    .select(["event", "status", "verdict"])
    .where("providerId", "=", job.providerId)
    .where("shiftId", "=", job.shiftId)
    .where("status", "in", ["queued", "failed", "dead"])
    .orderBy("eventId", "desc")
    .limit(REASONS_AT_MOST)
    .$narrowType<{ status: "queued" | "failed" | "dead" }>()
    .execute();
}
