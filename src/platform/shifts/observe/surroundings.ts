import { sql } from "kysely";
import type { ProviderPerson } from "../../../../generated/operations/types.ts";
import { parsePersonalNumber } from "../../../contract/personal-number.ts";
import type { Shift } from "../../../contract/shift.ts";
import { findBooked } from "../../candidates/busy.ts";
import { hasCompetence } from "../../candidates/membership.ts";
import { HOLDS_SEAT, IS_LIVE, jsonRows, jsonTexts } from "../../db/fragments.ts";
import type { Numbers } from "../../deps.ts";
import { lockMapping, OUTLETS, ROLES } from "../../integrations/mapped-lists.ts";
import type { Trx } from "../../transaction.ts";
import type { ShiftState, Surroundings } from "../plan/state.ts";
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
