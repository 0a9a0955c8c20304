import { sql } from "kysely";
import type { ProviderPerson } from "../../../../generated/operations/types.ts";
import { parsePersonalNumber } from "../../../contract/personal-number.ts";
import type { Shift } from "../../../contract/shift.ts";
import { findBooked, hasCompetence } from "../../candidates/eligible.ts";
import { HOLDS_SEAT, IS_LIVE, idList, jsonRows, jsonTexts } from "../../db/fragments.ts";
import type { Numbers } from "../../deps.ts";
import { lockMapping, OUTLETS, ROLES } from "../../integrations/mapped-lists.ts";
import type { Trx } from "../../transaction.ts";
import type { MovedPerson, ShiftState, Surroundings } from "../plan/state.ts";
import type { ShiftKey } from "./load.ts";

/**
 * Loads what the database knows about the shift as it was read: which candidates are on it, and whether those booked can still work on it. An
 * unmapped outlet or role is locked against a concurrent mapping: either this run sees the mapping, or the mapping finds the job.
 */
export async function loadSurroundings(
  trx: Trx,
  numbers: Numbers,
  state: ShiftState,
  read: Shift,
): Promise<Surroundings> {
  const { surroundings, providerId } = state;
  const people = await peopleOf(trx, numbers, providerId, read);
  const mapping = {
    workplaceId:
      surroundings.workplaceId ??
      (await lockMapping(trx, OUTLETS, providerId, read.outletId, read.outletName)),
    competenceId:
      surroundings.competenceId ?? (await lockMapping(trx, ROLES, providerId, read.roleId, read.roleName)),
  };
  const isBooked = state.bookings.length > 0 && state.job !== undefined;
  const conflicts = isBooked ? await conflictsOf(trx, state, read, mapping.competenceId) : undefined;
  return { ...surroundings, ...mapping, ...people, ...conflicts };
}

async function peopleOf(
  trx: Trx,
  numbers: Numbers,
  providerId: string,
  { assigned }: Shift,
): Promise<Pick<Surroundings, "listed" | "renumbered">> {
  const byId = new Map(assigned.map((entry) => [entry.providerCandidateId, entry]));
  if (byId.size === 0) return { listed: [] };
  const entries = [...byId.values()].map(({ providerCandidateId: id, personalNumber }) => {
    const number = (personalNumber && parsePersonalNumber(personalNumber)) || null;
    return { id, hash: number && numbers.hash(number) };
  });
  const { rows } = await sql<{
    id: string;
    known: string | null;
    numbered: string | null;
    hasNumber: boolean;
  }>`
    select listed.id, listed.hash is not null as "hasNumber",
      (select candidate_id from provider_candidates as known where known.provider_id = ${providerId}
        and known.provider_candidate_id = listed.id order by known_at, candidate_id limit 1) as known,
      (select candidate_id from candidates where personal_number_hash = listed.hash) as numbered
    from ${jsonRows(entries)} as listed (id text, hash text)`.execute(trx);
  const listed = rows.map(({ id, known, numbered }): ProviderPerson => {
    const candidateId = known ?? numbered;
    return { providerCandidateId: id, ...(candidateId !== null && { candidateId }) };
  });
  const renumbered = rows.flatMap(({ known, numbered, hasNumber }) =>
    known !== null && hasNumber && numbered !== known ? known : [],
  );
  return { listed, renumbered };
}

async function conflictsOf(trx: Trx, state: ShiftState, read: Shift, competenceId: string | null) {
  const booked = state.bookings.map(({ candidateId }) => candidateId);
  const others = await findBooked(
    trx,
    state.providerId,
    booked,
    new Date(read.startTime),
    new Date(read.endTime),
  );
  const { rows: lacking } = await sql<{ id: string }>`
    select booked.id from ${jsonTexts(booked)} as booked (id) where ${competenceId}::uuid is not null
      and not ${hasCompetence(sql`booked.id::uuid`, state.providerId, sql`${competenceId}::uuid`)}`.execute(
    trx,
  );
  return {
    overlaps: booked.flatMap((candidateId) => {
      const other = others.find(
        (each) => each.candidateId === candidateId && each.jobId !== state.job?.jobId,
      );
      return other ? [{ candidateId, otherJobId: other.jobId }] : [];
    }),
    lacking: lacking.map(({ id }) => id),
  };
}

/** Shifts that disappear within this time count as one loss of data. */
const LOSS_WINDOW = sql`interval '10 minutes'`;

/** Counts the provider's future shifts that disappeared at about the same time, including this one, and all that are known. */
export async function countVanished(trx: Trx, { providerId, shiftId }: ShiftKey, now: Date) {
  const { rows } = await sql<{ missing: number; known: number }>`
    select 1 + (select count(*) from shifts where provider_id = ${providerId} and shift_id <> ${shiftId}
        and missing_since > now() - ${LOSS_WINDOW} and belief ->> 'version' is distinct from 'cancelled') as missing,
      (select count(*) from jobs where provider_id = ${providerId} and start_time > ${now}
        and (${IS_LIVE} or status = 'cancelled' and cancelled_by = 'absence'
          and updated_at > now() - ${LOSS_WINDOW})) as known`.execute(trx);
  return { missing: Number(rows[0]?.missing ?? 1), known: Number(rows[0]?.known ?? 0) };
}

/**
 * Counts the people booked on the provider's other future shifts, and those whom lists have lacked at about the same time, also if they were assigned once
 * more since.
 */
export async function countRemoved(trx: Trx, { providerId, shiftId }: ShiftKey, now: Date) {
  const { rows } = await sql<{ missing: number; booked: number }>`
    select count(*) filter (where missing_since > now() - ${LOSS_WINDOW})::int as missing,
      count(*)::int as booked
    from jobs join bookings using (provider_id, job_id)
    where provider_id = ${providerId} and shift_id <> ${shiftId} and start_time > ${now} and ${IS_LIVE}
      and ${HOLDS_SEAT}`.execute(trx);
  return rows[0] ?? { missing: 0, booked: 0 };
}

/** Beyond the next periodic reading: the provider may have put a person on one shift long before a reading shows that they are off the other. */
const MOVED_WITHIN = sql`interval '2 hours'`;
/** How long after a booking has ended its person is still taken for moved. */
const ARRIVES_WITHIN = sql`interval '10 minutes'`;

/**
 * Returns on which other future shifts the provider has put the people, not long ago: for each, the nearest shift. Those shifts are locked, unless another run
 * works on them.
 */
export async function findMoved(
  trx: Trx,
  { providerId, job }: ShiftState,
  candidateIds: readonly string[],
  now: Date,
): Promise<MovedPerson[]> {
  if (!job || candidateIds.length === 0) return [];
  const found = sql`
    from ${jsonTexts(candidateIds)} as booked (id)
    join own_people as own on own.candidate_id = booked.id::uuid and own.provider_id = ${providerId}
    join jobs on jobs.provider_id = own.provider_id and jobs.job_id = own.job_id
    where jobs.job_id <> ${job.jobId} and ${IS_LIVE} and jobs.start_time > ${now} and own.created_at > now() - ${MOVED_WITHIN}`;
  const free = await lockFree(trx, providerId, found);
  if (!free) return [];
  const { rows } = await sql<Found>`
    select distinct on (own.candidate_id) own.candidate_id,
      (select entry ->> 'providerCandidateId' from jsonb_array_elements(jobs.own_people) as entry
        where entry ->> 'candidateId' = own.candidate_id::text limit 1) as "providerCandidateId",
      jobs.job_id, jobs.shift_id, jobs.outlet_id, jobs.role_id,
      jobs.announced is null as "isSettled",
      (extract(epoch from jobs.start_time) * 1000)::float8 as "startTime", (extract(epoch from jobs.end_time) * 1000)::float8 as "endTime",
      jobs.start_time as "from", jobs.end_time as "to"
    from (select own.provider_id, own.job_id, own.candidate_id ${found}) as own
    join jobs using (provider_id, job_id)
    order by own.candidate_id, abs(extract(epoch from jobs.start_time - ${new Date(job.startTime)}::timestamptz)), jobs.job_id`.execute(
    trx,
  );
  const moved: MovedPerson[] = [];
  for (const { isSettled, from, to, ...row } of rows) {
    const booked = await findBooked(trx, providerId, [row.candidateId], from, to);
    const other = booked.find(({ jobId }) => jobId !== row.jobId && jobId !== job.jobId);
    moved.push({ ...row, otherJobId: other?.jobId ?? null, isBusy: !isSettled || !free.has(row.jobId) });
  }
  return moved;
}

interface Found extends Omit<MovedPerson, "isBusy" | "otherJobId"> {
  isSettled: boolean;
  from: Date;
  to: Date;
}

/** Locks the jobs that no other run works on, and returns their ids; undefined if there are no jobs. */
async function lockFree(
  trx: Trx,
  providerId: string,
  found: ReturnType<typeof sql>,
): Promise<Set<string> | undefined> {
  const { rows } = await sql<{ jobId: string }>`select distinct jobs.job_id ${found}`.execute(trx);
  if (rows.length === 0) return undefined;
  const { rows: free } = await sql<{ jobId: string }>`
    select job_id from jobs where provider_id = ${providerId}
      and job_id in (select id::uuid from ${jsonTexts(rows.map(({ jobId }) => jobId))} as wanted (id))
    order by job_id for update skip locked`.execute(trx);
  return new Set(free.map(({ jobId }) => jobId));
}

/** Why a booking ended that did not end at anyone's wish. */
const ENDED_WITHOUT_WISH = sql`('shift_deleted', 'shift_cancelled', 'removed_by_provider')`;

/** Returns the people on the list who were booked on another shift of the provider just now, and are neither booked since nor long known to be on this one. */
export async function findArrived(
  trx: Trx,
  { providerId, job, bookings }: ShiftState,
  { listed }: Pick<Surroundings, "listed">,
  read: Shift,
): Promise<string[]> {
  const booked = bookings.map(({ candidateId }) => candidateId);
  const candidateIds = listed.flatMap(({ candidateId }) =>
    candidateId === undefined || booked.includes(candidateId) ? [] : [candidateId],
  );
  if (candidateIds.length === 0) return [];
  const jobId = job?.jobId ?? null;
  // Without a job there is nothing to compare, and a distributed database does not take a comparison with null.
  const isKnown =
    jobId === null
      ? sql`false`
      : sql`(exists (select 1 from bookings as here where here.provider_id = ${providerId}
        and here.candidate_id = ended.candidate_id and here.job_id = ${jobId}::uuid and here.updated_at > now() - ${MOVED_WITHIN})
      or exists (select 1 from own_people as own where own.provider_id = ${providerId}
        and own.candidate_id = ended.candidate_id and own.job_id = ${jobId}::uuid and own.created_at < now() - ${MOVED_WITHIN}))`;
  const { rows } = await sql<{ id: string }>`
    select distinct candidate_id as id from bookings as ended
    where provider_id = ${providerId} and candidate_id = any (${idList(candidateIds)}) and status = 'released'
      and reason in ${ENDED_WITHOUT_WISH} and updated_at > now() - ${ARRIVES_WITHIN} and job_id is distinct from ${jobId}::uuid
      and not ${isKnown}`.execute(trx);
  const arrived = rows.map(({ id }) => id);
  const others = await findBooked(trx, providerId, arrived, new Date(read.startTime), new Date(read.endTime));
  return arrived.filter((id) => others.every(({ candidateId }) => candidateId !== id));
}
