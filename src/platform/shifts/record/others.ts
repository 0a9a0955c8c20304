import { sql } from "kysely";
import { CALENDAR_UID, HOLDS_SEAT, IS_LIVE, jsonTexts } from "../../db/fragments.ts";
import type { Job } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { contentOf, notify } from "../../notifications/notify.ts";
import { publish } from "../../stream.ts";
import { recordSteps, type Trx } from "../../transaction.ts";
import { markRefreshDue } from "../../work/refresh.ts";
import { markShiftsDue, PRIORITY, type Priority } from "../../work/rows.ts";
import type { ShiftKey } from "../observe/load.ts";
import { holdsSeat } from "../plan/draft.ts";
import type { ShiftState } from "../plan/state.ts";
import type { Write } from "../plan/writes.ts";

interface Target {
  key: ShiftKey;
  job: Job | undefined;
}

/**
 * Books a person whom the provider has put on the shift: as a booking, no longer as one of the provider's own people. The job is locked: it is that of the
 * run, or `lockMoved` has locked it.
 */
export async function bookMoved(
  trx: Trx,
  deps: Deps,
  { key, job: own }: Target,
  { candidateId, providerCandidateId, movedTo, kind }: Extract<Write, { write: "book" }>,
): Promise<void> {
  const { providerId } = key;
  const job = movedTo ? await takeFromOwn(trx, deps, providerId, movedTo.jobId, candidateId) : own;
  if (!job) return;
  const { jobId, shiftId, traceId } = job;
  const [bookingId, at] = [deps.newId(), deps.now()];
  const before = movedTo && own ? await readMoved(trx, own, candidateId) : undefined;
  const { rows } = await sql`
    insert into bookings (provider_id, booking_id, job_id, candidate_id, provider_candidate_id, status, at_provider,
      calendar_uid, is_by_operator, trace_id, created_at, updated_at)
    values (${providerId}, ${bookingId}, ${jobId}, ${candidateId}, ${providerCandidateId}, 'confirmed', 'yes',
      ${before?.uid ?? null}, ${before?.isByOperator ?? false}, ${traceId}, ${at}, ${at})
    on conflict do nothing returning booking_id`.execute(trx);
  if (rows.length === 0) return;
  const place = { traceId, providerId, shiftId, jobId };
  recordSteps(trx, [{ ...place, step: "assign", code: "seen_assigned" }]);
  publish(trx, { type: "booking", bookingId, jobId, candidateId, status: "confirmed" });
  if (movedTo)
    await readNow(trx, deps, sql`select ${providerId}::uuid as provider_id, ${shiftId}::text as shift_id`);
  if (!kind) return;
  const notice = { providerId, jobId, kind, changeKey: bookingId, content: contentOf(job), traceId };
  const count = await notify(trx, deps, [candidateId], notice);
  recordSteps(trx, [{ ...place, step: "notification", code: "notified", params: { kind, count } }]);
}

/** Reads the booking that goes on: a person who is moved has one entry in the calendar, whose place or times change. */
function readMoved(trx: Trx, { providerId, jobId }: Job, candidateId: string) {
  return trx
    .selectFrom("bookings")
    .select([CALENDAR_UID.as("uid"), "isByOperator"])
    .where("providerId", "=", providerId)
    .where("jobId", "=", jobId)
    .where("candidateId", "=", candidateId)
    .orderBy("bookingId", "desc")
    .limit(1)
    .executeTakeFirst();
}

async function takeFromOwn(
  trx: Trx,
  { now }: Deps,
  providerId: string,
  jobId: string,
  candidateId: string,
): Promise<Job | undefined> {
  const { rows } = await sql<Job>`
    with taken as (
      delete from own_people where provider_id = ${providerId} and job_id = ${jobId} and candidate_id = ${candidateId}
      returning candidate_id)
    update jobs set updated_at = ${now()}, own_people_count = own_people_count - 1,
      own_people = coalesce((select jsonb_agg(entry order by nth) from jsonb_array_elements(own_people)
        with ordinality as listed (entry, nth) where entry ->> 'candidateId' is distinct from ${candidateId}::text), '[]')
    where provider_id = ${providerId} and job_id = ${jobId} and exists (select 1 from taken)
    returning jobs.*`.execute(trx);
  const [job] = rows;
  if (job) publish(trx, { type: "job", jobId, providerId, shiftId: job.shiftId, status: job.status });
  return job;
}

/** Reads the provider's other future shifts on which the candidates are booked, at the same time or as missing. */
export async function readBooked(
  trx: Trx,
  deps: Deps,
  { providerId, jobId, startTime: from, endTime: to }: Job,
  candidateIds: readonly string[],
): Promise<void> {
  await readNow(
    trx,
    deps,
    sql`
      select jobs.provider_id, jobs.shift_id from ${jsonTexts(candidateIds)} as own (id)
      join bookings on bookings.candidate_id = own.id::uuid join jobs using (provider_id, job_id)
      where bookings.provider_id = ${providerId} and jobs.job_id <> ${jobId} and ${HOLDS_SEAT} and ${IS_LIVE}
        and jobs.start_time > ${deps.now()}
        and (bookings.missing_since is not null or jobs.start_time < ${to} and jobs.end_time > ${from})`,
    PRIORITY.event,
  );
}

/** Reads the provider's next `count` other future shifts. */
export async function sample(
  trx: Trx,
  deps: Deps,
  { providerId, shiftId }: ShiftKey,
  count: number,
): Promise<void> {
  await readNow(
    trx,
    deps,
    sql`
      select provider_id, shift_id from jobs where provider_id = ${providerId} and shift_id <> ${shiftId}
        and ${IS_LIVE} and start_time > ${deps.now()}
        and not exists (select 1 from shifts where shifts.provider_id = jobs.provider_id
          and shifts.shift_id = jobs.shift_id and shifts.believed_at > now() - interval '1 minute')
      order by start_time limit ${count}`,
    PRIORITY.background,
  );
}

/** Makes the selected shifts (columns provider_id and shift_id) due for a reading, except missing ones. */
async function readNow(
  trx: Trx,
  deps: Deps,
  others: ReturnType<typeof sql>,
  priority: Priority = PRIORITY.event,
): Promise<void> {
  await sql`
    update shifts set next_read_at = now()
    from (${others}) as other
    where (shifts.provider_id, shifts.shift_id) = (other.provider_id, other.shift_id) and missing_since is null`.execute(
    trx,
  );
  await markShiftsDue(trx, deps, others, priority);
}

/**
 * Requests offers of other jobs at the time that the people booked on this one have become free, because a booking has ended or the shift has moved.
 * `before`: the state before the writes. `job`: the job after them, if it was written.
 */
export function markFreed(
  trx: Trx,
  deps: Deps,
  { providerId, job: before, bookings }: ShiftState,
  job: Job | undefined,
  writes: readonly Write[],
): void {
  const held = bookings.filter(holdsSeat).map(({ bookingId }) => bookingId);
  if (!before || held.length === 0 || before.endTime <= deps.now().getTime()) return;
  const { jobId, startTime: from, endTime: to } = before;
  const isEnded = writes.some(
    (write) =>
      write.write === "booking" &&
      held.includes(write.bookingId) &&
      write.patch.status !== undefined &&
      !holdsSeat({ status: write.patch.status }),
  );
  const hasMoved = job !== undefined && (job.startTime.getTime() > from || job.endTime.getTime() < to);
  if (isEnded || hasMoved) markRefreshDue(trx, deps, [{ providerId, key: { jobId, from, to } }]);
}
