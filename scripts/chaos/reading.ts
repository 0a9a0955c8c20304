import type { Kysely, SelectQueryBuilder } from "kysely";
import type { Booking, Job, Schema } from "../../src/platform/db/schema.ts";
import type { StoredShift } from "../../src/sandbox/organisation.ts";
import type { ProviderCall } from "../../test/flows/operations.ts";
import type { Assigned, Crowd, Said } from "./crowd.ts";

/** A webhook that the platform acknowledged. */
interface Acknowledged {
  event: string;
  shiftId: string;
  traceId: string;
  /** Whether a call of the platform caused it. */
  isEcho: boolean;
}

/** What both sides hold once all is quiet. */
export interface Reading {
  said: Said;
  acknowledged: readonly Acknowledged[];
  /** The provider's. */
  shifts: readonly StoredShift[];
  /** How many people the provider got from the platform. */
  hired: number;
  /** As the provider recorded them. */
  calls: readonly ProviderCall[];
  assigned: readonly Assigned[];
  stored: Stored;
}

/** What the platform has stored about one provider. */
export interface Stored {
  events: { event: string; shift_id: string; trace_id: string; status: string; verdict: string | null }[];
  jobs: Pick<Job, "job_id" | "shift_id" | "status" | "start_time" | "end_time" | "positions">[];
  bookings: Pick<Booking, "job_id" | "candidate_id" | "provider_candidate_id" | "status">[];
  notifications: { candidate_id: string; job_id: string; kind: string }[];
  /** Of open issues. */
  issues: { code: string; subject: string }[];
  /** What the platform noted of each call about a shift. */
  steps: { step: string; verdict: string; shift_id: string | null }[];
}

export async function readBoth(kysely: Kysely<Schema>, crowd: Crowd): Promise<Reading> {
  const { organisation, said, seeded, assigned } = crowd;
  const { provider, providerId, calls } = organisation;
  const sent = provider.deliveries.filter(({ delivery }) => delivery?.delivered);
  return {
    ...{ said, calls, assigned, shifts: provider.shifts },
    acknowledged: [...sent, ...said.events.map((event) => ({ ...event, isEcho: false }))],
    hired: provider.candidates.length - seeded,
    stored: await readStored(kysely, providerId),
  };
}

async function readStored(kysely: Kysely<Schema>, providerId: string): Promise<Stored> {
  const jobIds = kysely.selectFrom("jobs").select("job_id").where("provider_id", "=", providerId);
  return {
    ...(await readBooked(kysely, jobIds)),
    events: await kysely.selectFrom("events").selectAll().where("provider_id", "=", providerId).execute(),
    jobs: await kysely.selectFrom("jobs").selectAll().where("provider_id", "=", providerId).execute(),
    steps: await kysely.selectFrom("trace_steps").selectAll().where("provider_id", "=", providerId).execute(),
    issues: await kysely
      .selectFrom("issues")
      .selectAll()
      .where("provider_id", "=", providerId)
      .where("resolved_at", "is", null)
      .execute(),
  };
}

type JobIds = SelectQueryBuilder<Schema, "jobs", { job_id: string }>;

async function readBooked(kysely: Kysely<Schema>, jobIds: JobIds) {
  return {
    bookings: await kysely.selectFrom("bookings").selectAll().where("job_id", "in", jobIds).execute(),
    notifications: await kysely
      .selectFrom("notifications")
      .selectAll()
      .where("job_id", "in", jobIds)
      .execute(),
  };
}
