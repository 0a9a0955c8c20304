import { sql } from "kysely";
import type { EndBooking } from "../../../generated/operations/types.ts";
import { jobStatusText } from "../../contract/operator-text.ts";
import { problem } from "../../contract/problem.ts";
import { lockCandidate, requireCandidate } from "../candidates/candidate.ts";
import { hasCompetence, isValidFor, readBusy } from "../candidates/eligible.ts";
import type { Booking, Job, ShiftChange } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { isActive } from "../integrations/integration.ts";
import { loadShifts } from "../shifts/observe/load.ts";
import { endForOperator } from "../shifts/plan/close.ts";
import { bookingTopic, changeTopic, record } from "../shifts/record/record.ts";
import { rulesOf } from "../shifts/run.ts";
import { publish } from "../stream.ts";
import { recordSteps, type Trx, transact } from "../transaction.ts";
import { markDue } from "../work/rows.ts";
import { checkNotStarted, isBeingCancelled, lockJob, placeOf, seatsOf, shiftOf } from "./job.ts";

export interface Seat {
  jobId: string;
  candidateId: string;
}

/** Throws to refuse an answer of a candidate that changes something; an operator's has none. The job is locked. */
export type AnswerCheck = (trx: Trx, job: Job) => Promise<void>;

/**
 * Books a candidate who accepts a job: reserves the seat and makes the shift due, in one transaction.
 * @throws ProblemError job_not_found, candidate_not_found; already_booked, job_filled, job_not_open, candidate_not_released,
 * competence_missing, booking_overlaps.
 */
export async function accept(deps: Deps, seat: Seat, check?: AnswerCheck): Promise<Booking> {
  return transact(deps, async (trx) => {
    const job = await lockJob(trx, seat.jobId);
    await lockCandidate(trx, seat.candidateId);
    const seats = await seatsOf(trx, job);
    const before = seats.find((booking) => booking.candidateId === seat.candidateId);
    if (before?.withdrawnAt)
      throw problem("already_booked", {
        detail: "The candidate's withdrawal is in progress. Accept again once it has ended.",
      });
    if (before) return before;
    if (job.ownPeople.some(({ candidateId }) => candidateId === seat.candidateId))
      throw problem("already_booked", {
        detail: "The provider has assigned the candidate to the shift itself.",
      });
    await check?.(trx, job);
    await checkMayBook(trx, deps, job, seats.length, seat.candidateId);
    return reserve(trx, deps, job, { candidateId: seat.candidateId, isByOperator: check === undefined });
  });
}

async function checkMayBook(
  trx: Trx,
  { now }: Deps,
  job: Job,
  booked: number,
  candidateId: string,
): Promise<void> {
  checkNotStarted(job, now());
  const isFull = booked + job.ownPeopleCount >= job.positions;
  if (job.status === "filled" || (job.status === "open" && isFull)) {
    throw problem("job_filled", { detail: `All ${job.positions} positions are taken.` });
  }
  if (job.status !== "open")
    throw problem("job_not_open", { detail: `The job is ${jobStatusText(job.status)}.` });
  if (!(await isActive(trx, job.providerId)))
    throw problem("job_not_open", { detail: "The integration of the job's provider is suspended." });
  if (await isBeingCancelled(trx, job))
    throw problem("job_not_open", { detail: "The job is being cancelled." });
  const { valid, able } = await readFitness(trx, job, candidateId);
  if (!valid) {
    throw problem("candidate_not_released", {
      detail: "Only the registry of another organisation names the candidate. Release the candidate first.",
    });
  }
  if (!able) {
    throw problem("competence_missing", {
      detail: "The candidate does not have the competence that the job requires.",
    });
  }
  if ((await readBusy(trx, [candidateId], job)).has(candidateId))
    throw problem("booking_overlaps", { detail: "The candidate works on another shift at that time." });
}

interface Fitness {
  valid: boolean;
  able: boolean;
}

async function readFitness(trx: Trx, job: Job, candidateId: string): Promise<Fitness> {
  const { rows } = await sql<Fitness>`
    select ${isValidFor(job.providerId)} as valid,
      ${hasCompetence(sql`${candidateId}::uuid`, job.providerId, job.competenceId)} as able
    from candidates where candidate_id = ${candidateId}`.execute(trx);
  return rows[0] ?? { valid: false, able: false };
}

async function reserve(
  trx: Trx,
  deps: Deps,
  job: Job,
  { candidateId, isByOperator }: Pick<Booking, "candidateId" | "isByOperator">,
): Promise<Booking> {
  const at = deps.now();
  const booking = await trx
    .insertInto("bookings")
    .values({
      providerId: job.providerId,
      bookingId: deps.newId(),
      jobId: job.jobId,
      candidateId,
      status: "pending",
      isByOperator,
      traceId: job.traceId,
      createdAt: at,
      updatedAt: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  // The cause of the last failure at the provider may have been corrected. A person whom it has created stays created.
  await trx
    .updateTable("providerCandidates")
    .set({ trouble: null })
    .where("providerId", "=", job.providerId)
    .where("candidateId", "=", candidateId)
    .where(sql<boolean>`trouble ->> 'kind' <> 'created'`)
    .execute();
  markDue(trx, deps, [shiftOf(job)]);
  recordSteps(trx, [{ ...placeOf(job), traceId: job.traceId, step: "booking", code: "seat_reserved" }]);
  const { bookingId, jobId } = booking;
  publish(trx, { type: "booking", bookingId, jobId, candidateId, status: "pending" });
  return booking;
}

/**
 * Requests the withdrawal of a candidate. The booking is released once the provider confirms.
 * @throws ProblemError job_not_found, booking_not_found; job_not_open once the shift has started.
 */
export async function withdraw(deps: Deps, seat: Seat, check?: AnswerCheck): Promise<Booking> {
  return transact(deps, async (trx) => {
    const job = await lockJob(trx, seat.jobId);
    const seats = await seatsOf(trx, job);
    const booking = seats.find(({ candidateId }) => candidateId === seat.candidateId);
    if (!booking) throw problem("booking_not_found", { detail: "The candidate holds no seat on this job." });
    checkNotStarted(job, deps.now());
    if (booking.withdrawnAt === null) await check?.(trx, job);
    await trx
      .updateTable("bookings")
      .set({ withdrawnAt: deps.now() })
      .where("providerId", "=", job.providerId)
      .where("bookingId", "=", booking.bookingId)
      .execute();
    markDue(trx, deps, [shiftOf(job)]);
    const { traceId } = booking;
    recordSteps(trx, [{ ...placeOf(job), traceId, step: "booking", code: "withdrawal_requested" }]);
    const { bookingId, jobId, candidateId, status } = booking;
    publish(trx, { type: "booking", bookingId, jobId, candidateId, status });
    return booking;
  });
}

/**
 * Ends a booking without the provider: it may refuse the withdrawal, or not answer. It is asked to take the person off afterwards.
 * @throws ProblemError job_not_found, booking_not_found, candidate_not_found; job_not_open once the shift is over.
 */
export async function endBooking(
  deps: Deps,
  { jobId, candidateId }: Seat,
  reason: EndBooking["reason"],
): Promise<void> {
  await transact(deps, async (trx) => {
    const job = await lockJob(trx, jobId);
    await requireCandidate(trx, candidateId);
    if (job.endTime <= deps.now()) throw problem("job_not_open", { detail: "The shift is over." });
    const [loaded] = await loadShifts(trx, [{ key: job }], deps.now());
    const now = deps.now().getTime();
    const writes = loaded ? endForOperator(loaded.state, candidateId, now, rulesOf(deps)) : [];
    if (!loaded || writes.length === 0)
      throw problem("booking_not_found", { detail: "The candidate holds no seat on this job." });
    deps.audit?.note({ changes: [{ field: "reason", after: reason }] });
    const rest = await record(trx, deps, loaded.state, writes);
    await rest();
    markDue(trx, deps, [shiftOf(job)]);
  });
}

/** Books a candidate, and waits for the provider. Returns the booking as it is then. */
export async function acceptAndWait(deps: Deps, seat: Seat, check?: AnswerCheck): Promise<Booking> {
  return awaitBooking(deps, await accept(deps, seat, check), ({ status }) => status !== "pending");
}

/** Withdraws a candidate, and waits for the provider. `kept`: the provider has kept the candidate on the shift. */
export async function withdrawAndWait(
  deps: Deps,
  seat: Seat,
  check?: AnswerCheck,
): Promise<"released" | "kept" | "pending"> {
  const isOver = ({ status }: Booking) => status === "released" || status === "failed";
  const isKept = ({ status, withdrawnAt }: Booking) => status === "confirmed" && withdrawnAt === null;
  const withdrawn = await withdraw(deps, seat, check);
  const booking = await awaitBooking(deps, withdrawn, (seen) => isOver(seen) || isKept(seen));
  if (isKept(booking)) return "kept";
  return isOver(booking) ? "released" : "pending";
}

/** Waits for the provider until `isSettled` holds for the booking or the time limit is over. Returns the booking as it is then. */
function awaitBooking(
  deps: Deps,
  { providerId, bookingId }: Booking,
  isSettled: (booking: Booking) => boolean,
): Promise<Booking> {
  const read = () =>
    deps.database.kysely
      .selectFrom("bookings")
      .selectAll()
      .where("providerId", "=", providerId)
      .where("bookingId", "=", bookingId)
      .executeTakeFirstOrThrow();
  return waitFor(deps, bookingTopic(bookingId), read, isSettled);
}

/** Waits for the provider until the change is settled or the time limit is over. Returns the change as it is then. */
export function awaitChange(deps: Deps, { providerId, changeId }: ShiftChange): Promise<ShiftChange> {
  const read = () =>
    deps.database.kysely
      .selectFrom("shiftChanges")
      .selectAll()
      .where("providerId", "=", providerId)
      .where("changeId", "=", changeId)
      .executeTakeFirstOrThrow();
  return waitFor(deps, changeTopic(changeId), read, ({ status }) => status !== "pending");
}

/** Reads the row after each signal: a signal means only that the row may have changed. */
async function waitFor<Row>(
  { signals, timing }: Deps,
  topic: string,
  read: () => Promise<Row>,
  isSettled: (row: Row) => boolean,
): Promise<Row> {
  const deadline = performance.now() + timing.answerWithinMs;
  for (;;) {
    const leftMs = Math.max(0, deadline - performance.now());
    const { signal, cancel } = signals.next(topic, leftMs);
    const row = await read();
    if (isSettled(row) || leftMs === 0) {
      cancel();
      return row;
    }
    await signal;
  }
}
