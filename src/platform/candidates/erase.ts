import { sql } from "kysely";
import type { BookingStatus } from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import { HOLDS_SEAT, jsonRows, jsonTexts } from "../db/fragments.ts";
import type { Deps } from "../deps.ts";
import { raiseIssue } from "../issues.ts";
import { publish } from "../stream.ts";
import { type Trx, transact } from "../transaction.ts";
import { markShiftsDue, PRIORITY } from "../work/rows.ts";
import { lockCandidate, lockPeople, requireCandidate } from "./candidate.ts";

type Erasing = Pick<Deps, "now" | "newId" | "audit" | "wakeWorker"> & {
  database: Pick<Deps["database"], "kysely" | "isDistributed">;
};

/**
 * Erases a person in one transaction. The row stays, anonymised, because bookings refer to it. Decisions: notifications are deleted, because they
 * have no recipient any more; records of unmasking lose their reason, a free text that may name the person; bookings, and issues about them, lose the id at the provider.
 * @throws ProblemError candidate_not_found, also for an erased person; candidate_booked.
 */
export async function erase(deps: Erasing, candidateId: string): Promise<void> {
  await transact(deps, async (trx) => {
    // Checked before the locks as well, so that a refused request blocks no booking.
    await requireNotBooked(trx, deps, candidateId);
    await lockJobsOf(trx, candidateId);
    await lockCandidate(trx, candidateId);
    await awaitReferences(trx, [candidateId]);
    await requireNotBooked(trx, deps, candidateId);
    await anonymiseBookings(trx, deps, candidateId);
    await rememberErased(trx, deps, candidateId);
    await removePeople(trx, deps, [candidateId]);
  });
}

/**
 * Locks the jobs on which the person was ever booked, before the person. One organisation at a time: a distributed database locks no rows of several in
 * one statement. The check that follows the locks sees a booking that was added meanwhile.
 */
async function lockJobsOf(trx: Trx, candidateId: string): Promise<void> {
  const bookings = trx.selectFrom("bookings").where("candidateId", "=", candidateId);
  const found = await bookings.select("providerId").distinct().orderBy("providerId").execute();
  for (const { providerId } of found)
    await sql`
      select job_id from jobs
      where provider_id = ${providerId} and job_id in (
        select job_id from bookings where provider_id = ${providerId} and candidate_id = ${candidateId})
      order by provider_id, shift_id for update`.execute(trx);
}

/** Waits for the transactions that have added rows about the people, and holds off others, so that no row is left. The people have to be locked. */
async function awaitReferences(trx: Trx, candidateIds: readonly string[]): Promise<void> {
  await sql`
    select 1 from candidates where candidate_id in (select id::uuid from ${jsonTexts(candidateIds)} as concerned (id))
    order by candidate_id for update`.execute(trx);
}

async function requireNotBooked(trx: Trx, { now }: Pick<Deps, "now">, candidateId: string): Promise<void> {
  const row = await trx
    .selectFrom("bookings")
    .innerJoin("jobs", (join) =>
      join.onRef("jobs.providerId", "=", "bookings.providerId").onRef("jobs.jobId", "=", "bookings.jobId"),
    )
    .where("bookings.candidateId", "=", candidateId)
    .where("jobs.endTime", ">", now())
    .where("jobs.status", "!=", "cancelled")
    .where(HOLDS_SEAT)
    .select("bookings.status")
    .executeTakeFirst();
  if (!row) return;
  throw problem("candidate_booked", {
    detail:
      "The person holds a seat on a shift that has not ended. Withdraw first, or end the booking, then erase.",
  });
}

/** Removes the provider's ids from the person's bookings, and from the issues about them, and ends pending ones on past shifts, so that the provider never receives the name. */
async function anonymiseBookings(
  trx: Trx,
  deps: Pick<Deps, "now" | "newId" | "wakeWorker">,
  candidateId: string,
): Promise<void> {
  const { now } = deps;
  const { rows: left } = await sql<{ providerId: string; shiftId: string; traceId: string }>`
    select jobs.provider_id, shift_id, bookings.trace_id from bookings join jobs using (provider_id, job_id)
    where candidate_id = ${candidateId} and at_provider <> 'no' and end_time > ${now()} and jobs.status <> 'cancelled'`.execute(
    trx,
  );
  const { rows } = await sql<{ bookingId: string; jobId: string; status: BookingStatus }>`
    update bookings set provider_candidate_id = null, sought_ids = '[]', rejection = null, at_provider = 'no', doubt_since = null, sent_at = null,
      status = case when status = 'pending' then 'released' else status end,
      reason = case when status = 'pending' then 'candidate_erased' else reason end,
      updated_at = case when status = 'pending' then ${now()} else updated_at end
    where candidate_id = ${candidateId}
    returning booking_id, job_id, status`.execute(trx);
  for (const row of rows) publish(trx, { type: "booking", ...row, candidateId });
  await sql`
    update issues set params = params - 'providerCandidateId'
    where subject ->> 'candidateId' = ${candidateId} and params ->> 'providerCandidateId' is not null`.execute(
    trx,
  );
  // No call can name the person any more.
  for (const { shiftId, ...issue } of left) {
    const subject = { kind: "booking", shiftId, candidateId } as const;
    await raiseIssue(trx, deps, { ...issue, code: "unassign_failed", subject });
  }
  const freed = sql`
    select jobs.provider_id, jobs.shift_id from bookings join jobs using (provider_id, job_id)
    where bookings.candidate_id = ${candidateId} and bookings.reason = 'candidate_erased'`;
  await markShiftsDue(trx, deps, freed, PRIORITY.background);
}

/** Keeps the keyed hash of the number, so that the next registry import does not add the person again. */
async function rememberErased(trx: Trx, { now }: Pick<Deps, "now">, candidateId: string): Promise<void> {
  const { personalNumberHash: numberHash } = await requireCandidate(trx, candidateId);
  if (numberHash)
    await trx
      .insertInto("erasedPeople")
      .values({ numberHash, erasedAt: now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** What belongs to a person. */
const TABLES = [
  "candidate_competences",
  "provider_candidates",
  "own_people",
  "memberships",
  "offer_mails",
  "notifications",
  "declines",
  "disputed_addresses",
  "personal_links",
] as const;

/** Removes what is stored about people, and leaves anonymous rows. The candidates have to be locked, and hold no seat. */
async function removePeople(
  trx: Trx,
  { now }: Pick<Deps, "now">,
  candidateIds: readonly string[],
): Promise<void> {
  const concerned = sql`candidate_id in (select id::uuid from ${jsonTexts(candidateIds)} as concerned (id))`;
  for (const table of TABLES) await sql`delete from ${sql.table(table)} where ${concerned}`.execute(trx);
  await sql`update reveals set reason = '' where ${concerned}`.execute(trx);
  await sql`
    update candidates set personal_number_sealed = null, personal_number_hash = null, first_name = '', last_name = '', email = '',
      phone = '', hire = null, language = null, employee_number = null, updated_at = ${now()}, erased_at = ${now()}
    where ${concerned}`.execute(trx);
}

/** People of one transaction: for its time none of them is booked anywhere. */
const BATCH = 100;

/**
 * Removes what an organisation asserts about people, a batch of them, and returns whether it knows no more. Decision: a person whom only its registry named is
 * anonymous then, unless another organisation has booked the person. That is no erasure: another registry may name the person again.
 */
export async function forgetMembers(trx: Trx, deps: Pick<Deps, "now">, providerId: string): Promise<boolean> {
  const { rows } = await sql<{ candidateId: string; hash: string | null }>`
    select candidate_id, personal_number_hash as hash from memberships join candidates using (candidate_id)
    where provider_id = ${providerId} order by candidate_id limit ${BATCH}::int`.execute(trx);
  if (rows.length === 0) return true;
  const candidateIds = rows.map(({ candidateId }) => candidateId);
  await lockPeople(
    trx,
    rows.flatMap(({ hash }) => hash ?? []),
  );
  await awaitReferences(trx, candidateIds);
  const members = sql`${jsonTexts(candidateIds)} as member (id)`;
  await sql`
    delete from memberships using ${members}
    where provider_id = ${providerId} and candidate_id = member.id::uuid`.execute(trx);
  // Of each person, what the first of the other registries asserts. A distributed database does not write people and read that in one statement.
  const isConcerned = sql`candidate_id in (select id::uuid from ${members})`;
  const { rows: named } = await sql<{ candidateId: string; firstName: string; lastName: string }>`
    select distinct on (candidate_id) candidate_id, first_name, last_name from memberships where ${isConcerned}
    order by candidate_id, created_at, provider_id`.execute(trx);
  await sql`
    update candidates set first_name = other."firstName", last_name = other."lastName"
    from ${jsonRows(named)} as other ("candidateId" uuid, "firstName" text, "lastName" text)
    where candidates.candidate_id = other."candidateId" and not is_shared`.execute(trx);
  const { rows: booked } = await sql<{ candidateId: string }>`
    select distinct candidate_id from bookings where ${isConcerned} and provider_id <> ${providerId}`.execute(
    trx,
  );
  const known = new Set([...named, ...booked].map(({ candidateId }) => candidateId));
  const { rows: registered } = await sql<{ candidateId: string }>`
    select candidate_id from candidates where ${isConcerned} and not is_shared and erased_at is null`.execute(
    trx,
  );
  const unknown = registered.map(({ candidateId }) => candidateId).filter((id) => !known.has(id));
  if (unknown.length > 0) await removePeople(trx, deps, unknown);
  return rows.length < BATCH;
}
