import { sql } from "kysely";
import type { BookingStatus } from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import { HOLDS_SEAT, jsonTexts } from "../db/fragments.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream.ts";
import { type Trx, transact } from "../transaction.ts";
import { markShiftsDue, PRIORITY } from "../work/due.ts";
import { lockCandidate, requireCandidate } from "./candidate.ts";

type Erasing = Pick<Deps, "now" | "audit" | "wakeWorker"> & {
  database: Pick<Deps["database"], "kysely" | "isDistributed">;
};

/**
 * Erases a person in one transaction. The row stays, anonymised, because bookings refer to it. Decisions: notifications are deleted, because they
 * have no recipient any more; records of unmasking lose their reason, a free text that may name the person; bookings lose the id at the provider.
 * @throws ProblemError candidate_not_found, also for an erased person; candidate_booked.
 */
export async function erase(deps: Erasing, candidateId: string): Promise<void> {
  await transact(deps, async (trx) => {
    // Checked before the locks as well, so that a refused request blocks no booking.
    await requireNotBooked(trx, deps, candidateId);
    await lockBookings(trx, candidateId);
    await lockCandidate(trx, candidateId);
    await awaitReferences(trx, [candidateId]);
    await requireNotBooked(trx, deps, candidateId);
    await anonymiseBookings(trx, deps, candidateId);
    await rememberErased(trx, deps, candidateId);
    await removePeople(trx, deps, [candidateId]);
  });
}

/**
 * Locks in the order of organisations and bookings, so that two transactions cannot deadlock. One organisation at a time: a distributed
 * database locks no rows of several in one statement. The check that follows the locks sees a booking that was added meanwhile.
 */
async function lockBookings(trx: Trx, candidateId: string): Promise<void> {
  const bookings = trx.selectFrom("bookings").where("candidate_id", "=", candidateId);
  const found = await bookings.select("provider_id").distinct().orderBy("provider_id").execute();
  for (const { provider_id } of found)
    await bookings
      .select("booking_id")
      .where("provider_id", "=", provider_id)
      .orderBy("booking_id")
      .forUpdate()
      .execute();
}

/** Waits for the transactions that have added rows about the people, and holds off others, so that no row is left. The people have to be locked. */
export async function awaitReferences(trx: Trx, candidateIds: readonly string[]): Promise<void> {
  await sql`
    select 1 from candidates where candidate_id in (select id::uuid from ${jsonTexts(candidateIds)} as concerned (id))
    order by candidate_id for update`.execute(trx);
}

async function requireNotBooked(trx: Trx, { now }: Pick<Deps, "now">, candidateId: string): Promise<void> {
  const row = await trx
    .selectFrom("bookings")
    .innerJoin("jobs", (join) =>
      join
        .onRef("jobs.provider_id", "=", "bookings.provider_id")
        .onRef("jobs.job_id", "=", "bookings.job_id"),
    )
    .where("bookings.candidate_id", "=", candidateId)
    .where("jobs.end_time", ">", now())
    .where("jobs.status", "!=", "cancelled")
    .where(({ or, eb }) => or([HOLDS_SEAT, eb("bookings.at_provider", "!=", "no")]))
    .select("bookings.status")
    .executeTakeFirst();
  if (!row) return;
  throw problem("candidate_booked", {
    detail:
      row.status === "pending" || row.status === "confirmed"
        ? "The person holds a seat on a shift that has not ended. Withdraw first, then erase."
        : "The person is being removed from a shift that has not ended. Erase the person once that is done.",
  });
}

/** Removes the provider's id from the person's bookings, and ends pending ones on past shifts, so that the provider never receives the name. */
async function anonymiseBookings(
  trx: Trx,
  deps: Pick<Deps, "now" | "wakeWorker">,
  candidateId: string,
): Promise<void> {
  const { now } = deps;
  const { rows } = await sql<{ bookingId: string; jobId: string; status: BookingStatus }>`
    update bookings set provider_candidate_id = null, at_provider = 'no', doubt_since = null, sent_at = null,
      status = case when status = 'pending' then 'released' else status end,
      reason = case when status = 'pending' then 'candidate_erased' else reason end,
      updated_at = case when status = 'pending' then ${now()} else updated_at end
    where candidate_id = ${candidateId}
    returning booking_id as "bookingId", job_id as "jobId", status`.execute(trx);
  for (const row of rows) publish(trx, { type: "booking", ...row, candidateId });
  const freed = sql`
    select jobs.provider_id, jobs.shift_id from bookings join jobs using (provider_id, job_id)
    where bookings.candidate_id = ${candidateId} and bookings.reason = 'candidate_erased'`;
  await markShiftsDue(trx, deps, freed, PRIORITY.background);
}

/** Keeps the keyed hash of the number, so that the next registry import does not add the person again. */
async function rememberErased(trx: Trx, { now }: Pick<Deps, "now">, candidateId: string): Promise<void> {
  const { personal_number_hash: number_hash } = await requireCandidate(trx, candidateId);
  if (number_hash)
    await trx
      .insertInto("erased_people")
      .values({ number_hash, erased_at: now() })
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
export async function removePeople(
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
