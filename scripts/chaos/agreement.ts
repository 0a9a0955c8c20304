import type { StoredShift } from "../../src/sandbox/organisation.ts";
import type { Reading, Stored } from "./reading.ts";

type Job = Stored["jobs"][number];
type Booking = Stored["bookings"][number];

/** Yields withdrawals and cancellations that were acknowledged and did not happen. */
export function* lostRequests({ record, stored }: Reading): Generator<string> {
  for (const { jobId, candidateId } of record.withdrawn)
    if (!hasEnded(stored.bookings, jobId, candidateId))
      yield `the withdrawal of ${candidateId} from job ${jobId} did not happen`;
  for (const jobId of record.cancelled)
    if (stored.jobs.find((job) => job.jobId === jobId)?.status !== "cancelled")
      yield `the cancellation of job ${jobId} did not happen`;
}

function hasEnded(bookings: readonly Booking[], jobId: string, candidateId: string): boolean {
  return bookings.some(
    (each) => each.jobId === jobId && each.candidateId === candidateId && each.status === "released",
  );
}

/**
 * Yields the disagreements after the faults. Both sides must agree on every shift and on who is booked. Each ended booking must have a
 * reason, and no work may be left.
 */
export function* disagreements(reading: Reading): Generator<string> {
  const { shifts, stored } = reading;
  // First, because it may be the cause of the rest.
  yield* unsettled(stored);
  const jobs = new Map(stored.jobs.map((job) => [job.shiftId, job]));
  for (const shift of shifts) {
    const job = jobs.get(shift.id);
    const fault = faultOf(reading, shift, job, bookingsOf(stored, job));
    if (fault) yield `shift ${shift.id}: ${fault}`;
  }
  const known = new Set(shifts.map(({ id }) => id));
  for (const { jobId, shiftId } of stored.jobs)
    if (!known.has(shiftId)) yield `job ${jobId} belongs to a shift that the provider never had`;
  yield* unexplainedEnds(reading);
}

const bookingsOf = ({ bookings }: Stored, job: Job | undefined) =>
  bookings.filter(({ jobId }) => jobId === job?.jobId);

function faultOf(
  reading: Reading,
  shift: StoredShift,
  job: Job | undefined,
  bookings: readonly Booking[],
): string | undefined {
  if (bookings.some(({ status }) => status === "pending")) return "a booking is pending forever";
  // Deleted before it was read: it needs no job.
  if (shift.cancelled && (!job || job.status === "cancelled")) return undefined;
  if (!job) return "there is no job";
  if (shift.cancelled) return `it is cancelled, the job is ${job.status}`;
  const times = [job.startTime, job.endTime].map((time) => time.toISOString()).join();
  if (times !== [shift.startTime, shift.endTime].join()) return `the times are ${times}`;
  if (job.positions !== shift.positions) return `the job has ${job.positions} positions`;
  const unlike = differenceOf(reading, shift, job, bookings);
  if (unlike) return unlike;
  const status = shift.assigned.size >= shift.positions ? "filled" : "open";
  return job.status === status ? undefined : `the job is ${job.status}, not ${status}`;
}

/** Compares who is on the shift: the platform's bookings and the provider's own people. */
function differenceOf(
  { ownPeople }: Reading,
  shift: StoredShift,
  job: Job,
  bookings: readonly Booking[],
): string | undefined {
  const confirmed = bookings.filter(({ status }) => status === "confirmed");
  const there = [...shift.assigned.keys()];
  const [booked, own] = [there.filter((id) => !ownPeople.has(id)), there.filter((id) => ownPeople.has(id))];
  const here = confirmed.map((each) => each.providerCandidateId ?? "");
  if (textOf(here) !== textOf(booked))
    return `the provider has ${textOf(booked)}, the platform has booked ${textOf(here)}`;
  const seen = job.ownPeople.map(({ providerCandidateId }) => providerCandidateId);
  if (textOf(seen) !== textOf(own) || job.ownPeopleCount !== own.length)
    return `the provider's own people are ${textOf(own)}, the platform has ${textOf(seen)}`;
  return undefined;
}

const textOf = (ids: readonly string[]): string => [...ids].sort().join() || "no one";

/** A temporary fault of the provider ends no booking: it stays pending until the provider responds. */
function* unexplainedEnds({ shifts, stored }: Reading): Generator<string> {
  const jobs = new Map(stored.jobs.map((job) => [job.jobId, job]));
  const cancelled = new Set(shifts.filter((shift) => shift.cancelled).map(({ id }) => id));
  for (const booking of stored.bookings) {
    const { status, candidateId, jobId, reason } = booking;
    if (status !== "released" && status !== "failed") continue;
    const isCancelled = cancelled.has(jobs.get(jobId)?.shiftId ?? "");
    if (status === "failed" || !isExplained(booking, isCancelled))
      yield `the booking of ${candidateId} on job ${jobId} is ${status}: ${reason} ${JSON.stringify(booking.reasonParams)}`;
  }
}

/** A refusal without the contract's code is recognised by its status: 409 of a full shift, 404 or 409 of a cancelled one. */
function isExplained({ reason, reasonParams: params }: Booking, isCancelled: boolean): boolean {
  switch (reason) {
    case "withdrawn":
    case "shift_full":
      return true;
    case "assignment_refused":
      return params.status === 409 || (params.status === 404 && isCancelled);
    case "shift_deleted":
    case "shift_cancelled":
    case "job_cancelled":
    case "shift_not_found":
      return isCancelled;
    default:
      return false;
  }
}

/** Issues that need an operator or the provider. */
const MAY_STAY_OPEN = ["shift_overfilled", "booking_overlaps"];

function* unsettled({ conditions, issues, work, bookings, jobs }: Stored): Generator<string> {
  for (const { code } of conditions) yield `the condition ${code} still holds`;
  for (const { code } of issues) if (!MAY_STAY_OPEN.includes(code)) yield `the issue ${code} is still open`;
  for (const { kind, key, priority, attempts } of work)
    if (priority < 2 || attempts > 0)
      yield `${kind} ${key} still needs attention, after ${attempts} failed attempts`;
  // No one is on a cancelled shift.
  const open = new Set(jobs.filter(({ status }) => status !== "cancelled").map(({ jobId }) => jobId));
  for (const { atProvider, jobId, candidateId } of bookings)
    if (atProvider === "maybe" && open.has(jobId))
      yield `whether ${candidateId} is on the shift of job ${jobId} is still in doubt`;
}
