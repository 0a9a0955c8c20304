import { sql } from "kysely";
import type {
  BookingReason,
  Explanation,
  IntegrationState,
  JobStatus,
  Outcome,
  Params,
  Reason,
  StaffingCode,
} from "../../../generated/operations/types.ts";
import { MINUTE_MS } from "../../contract/timestamp.ts";
import { ablePeople, hasOffer, isOwnPerson, readBusy } from "../candidates/eligible.ts";
import type { Database } from "../db/database.ts";
import { HOLDS_SEAT, hasCondition } from "../db/fragments.ts";
import type { Job } from "../db/schema.ts";
import type { Deps, OfferWaves } from "../deps.ts";
import { waveKey } from "../work/refresh.ts";
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
  const { state, isPaused } = await db
    .selectFrom("integrations")
    .select(["state", hasCondition(sql`${job.providerId}::uuid`, "token_rejected").as("isPaused")])
    .where("providerId", "=", job.providerId)
    .executeTakeFirstOrThrow();
  return {
    status: job.status,
    positions: job.positions,
    ownPeople: job.ownPeopleCount,
    integration: state,
    isPaused,
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

/** The facts that decide whether a job is staffed: counts, the provider's ids, and codes, but no personal data. */
export interface StaffingFacts {
  status: JobStatus;
  positions: number;
  isCancelling: boolean;
  integration: IntegrationState;
  isPaused: boolean;
  outlet: { id: string; name: string | null; isMapped: boolean };
  role: { id: string; name: string | null; isMapped: boolean };
  confirmed: number;
  pending: number;
  /** People assigned by the provider. */
  ownPeople: number;
  /** The last failed call for a pending booking; undefined if the last call succeeded. */
  pendingFailure: Params | undefined;
  /** People with the competence who are not booked on this job: all, those who work elsewhere at that time, and the free ones with an offer. */
  able: number;
  busy: number;
  offered: number;
  /** Bookings that lost their seat, by reason, the latest first. */
  lost: readonly { status: "released" | "failed"; reason: BookingReason | null; count: number }[];
  /** Unprocessed events of the shift, the latest first. */
  events: readonly { event: string; status: "queued" | "failed" | "dead"; verdict: Outcome | null }[];
}

/** Explains why the job is not staffed, or that it is. The most important reason is the first. */
export function explain(facts: StaffingFacts): Omit<Explanation, "jobId" | "waves"> {
  const reasons = [
    ...ended(facts),
    ...blocked(facts),
    ...(facts.status === "open" ? candidates(facts) : []),
    ...bookings(facts),
    ...events(facts),
  ];
  const { positions, confirmed, pending, ownPeople, able, busy, offered } = facts;
  const params = { positions, booked: confirmed + pending, ownPeople, free: able - busy, busy, offered };
  return { verdict: verdictOf(facts), params, reasons };
}

function verdictOf({ status, isCancelling, integration, isPaused }: StaffingFacts): StaffingCode {
  if (status === "cancelled" || status === "expired") return status;
  if (isCancelling) return "being_cancelled";
  if (status === "blocked_mapping" || status === "filled") return status;
  return integration === "active" && !isPaused ? "open" : "on_hold";
}

/** Returns reasons why nothing can or has to be done. */
function ended({ status, isCancelling, positions, confirmed, pending, ownPeople }: StaffingFacts): Reason[] {
  if (status === "cancelled" || status === "expired") return [{ code: status, params: {} }];
  if (isCancelling) return [{ code: "being_cancelled", params: {} }];
  const params = { booked: confirmed + pending, ownPeople, positions };
  const own: Reason[] = ownPeople > 0 ? [{ code: "own_people", params: { ownPeople } }] : [];
  if (status !== "filled") return own;
  const isOver = confirmed + pending + ownPeople > positions;
  return [{ code: isOver ? "overfilled" : "filled", params }, ...own];
}

function blocked({ status, integration, isPaused, outlet, role }: StaffingFacts): Reason[] {
  if (status === "cancelled" || status === "expired") return [];
  const reasons: Reason[] = [];
  const [outletName, roleName] = [outlet.name ?? undefined, role.name ?? undefined];
  if (!outlet.isMapped)
    reasons.push({
      code: "outlet_not_mapped",
      params: { outletId: outlet.id, ...(outletName && { outletName }) },
    });
  if (!role.isMapped)
    reasons.push({ code: "role_not_mapped", params: { roleId: role.id, ...(roleName && { roleName }) } });
  if (integration !== "active") reasons.push({ code: `integration_${integration}`, params: {} });
  else if (isPaused) reasons.push({ code: "integration_paused", params: {} });
  return reasons;
}

function candidates({ able, busy, offered }: StaffingFacts): Reason[] {
  if (able === 0) return [{ code: "nobody_has_competence", params: {} }];
  const free = able - busy;
  if (free === 0) return [{ code: "nobody_free", params: { busy } }];
  const reasons: Reason[] = [];
  if (offered > 0) reasons.push({ code: "not_accepted_yet", params: { offered } });
  if (free > offered) reasons.push({ code: "not_offered_yet", params: { count: free - offered } });
  if (busy > 0) reasons.push({ code: "some_not_free", params: { busy } });
  return reasons;
}

function bookings({ pending, pendingFailure = {}, lost }: StaffingFacts): Reason[] {
  const reasons: Reason[] = lost.map(({ status, reason, count }) => ({
    code: status === "failed" ? "booking_failed" : "booking_released",
    params: { count, ...(reason && { reason }) },
  }));
  if (pending === 0) return reasons;
  return [{ code: "waiting_for_provider", params: { ...pendingFailure, count: pending } }, ...reasons];
}

const EVENT_REASONS = { queued: "event_waiting", failed: "event_failed", dead: "event_dead" } as const;

function events({ events }: StaffingFacts): Reason[] {
  return events.map(({ event, status, verdict }) => ({
    code: EVENT_REASONS[status],
    params: { ...verdict?.params, event, ...(verdict && { eventVerdict: verdict.code }) },
  }));
}
