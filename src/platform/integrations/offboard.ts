import { type Kysely, sql } from "kysely";
import type { BookingStatus } from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import { HOLDS_SEAT } from "../db/fragments.ts";
import type { Integration, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { resolveIssues } from "../issues.ts";
import { publish } from "../stream.ts";
import { recordSteps, type Trx, transact } from "../transaction.ts";
import { markShiftsDue, PRIORITY } from "../work/due.ts";
import { lockIntegration, writeIntegration } from "./integration.ts";

/** What happens to the bookings on shifts that have not started. */
export type Leaving = NonNullable<Integration["offboarding"]>;

/**
 * Begins to offboard an organisation, or changes what happens to its bookings: it is suspended, and with "unassign" every candidate is taken off
 * the shifts that have not started. Activating it again ends that; those who were taken off stay off.
 * @throws ProblemError provider_not_found, integration_is_draft, integration_deleting.
 */
export async function offboard(deps: Deps, id: string, bookings: Leaving): Promise<Integration> {
  return transact(deps, async (trx) => {
    const integration = await lockIntegration(trx, id);
    const { providerId, state, offboarding, offboardingSince } = integration;
    if (state === "draft")
      throw problem("integration_is_draft", { detail: "Nothing of a draft is booked. Delete it." });
    requireStaying(integration);
    deps.audit?.note({ changes: [{ field: "offboarding", before: offboarding, after: bookings }] });
    if (bookings === "unassign") await unassignAll(trx, deps, providerId);
    // A provider that leaves may be quiet, and no later round would close the issue.
    await resolveIssues(trx, deps, { providerId, codes: ["provider_quiet"] });
    return writeIntegration(trx, providerId, {
      state: "suspended",
      offboarding: bookings,
      updatedAt: deps.now(),
      offboardingSince: offboardingSince ?? deps.now(),
    });
  });
}

/** @throws ProblemError integration_deleting */
export function requireStaying({ deletionRequestedAt }: Integration): void {
  if (deletionRequestedAt !== null)
    throw problem("integration_deleting", { detail: "Everything of the integration is being deleted." });
}

/** As if everyone had withdrawn: the provider is asked, and the seat is free once it has agreed. */
async function unassignAll(trx: Trx, deps: Deps, providerId: string): Promise<void> {
  await sql`
    select job_id from jobs where provider_id = ${providerId} and start_time > ${deps.now()}
    order by provider_id, shift_id for update`.execute(trx);
  const { rows } = await sql<Withdrawn>`
    update bookings set withdrawn_at = ${deps.now()} from jobs
    where (jobs.provider_id, jobs.job_id) = (bookings.provider_id, bookings.job_id) and start_time > ${deps.now()}
      and bookings.provider_id = ${providerId} and ${HOLDS_SEAT} and withdrawn_at is null
    returning booking_id, bookings.job_id, shift_id, candidate_id,
      bookings.status, bookings.trace_id`.execute(trx);
  for (const { shiftId, traceId, ...booking } of rows) {
    const { jobId } = booking;
    recordSteps(trx, [
      { providerId, shiftId, jobId, traceId, step: "booking", code: "withdrawal_requested" },
    ]);
    publish(trx, { type: "booking", ...booking });
  }
  const shifts = sql`select provider_id, shift_id from bookings join jobs using (provider_id, job_id)
    where provider_id = ${providerId} and withdrawn_at is not null and ${HOLDS_SEAT}`;
  await markShiftsDue(trx, deps, shifts, PRIORITY.interactive);
}

interface Withdrawn {
  bookingId: string;
  jobId: string;
  shiftId: string;
  candidateId: string;
  status: BookingStatus;
  traceId: string;
}

/** Bookings from which the provider has not taken the candidate off yet. */
export async function countRemaining(db: Kysely<Schema>, { providerId, offboarding }: Integration) {
  if (offboarding !== "unassign") return 0;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from bookings join jobs using (provider_id, job_id)
    where provider_id = ${providerId} and start_time > now() and jobs.status <> 'cancelled'
      and (${HOLDS_SEAT} or at_provider <> 'no')`.execute(db);
  return rows[0]?.count ?? 0;
}
