import type { Kysely, Selectable, SelectQueryBuilder } from "kysely";
import type { Outcome } from "../../generated/operations/types.ts";
import type {
  Booking,
  Integration,
  Job,
  NotificationsTable,
  Schema,
  WorkKind,
} from "../../src/platform/db/schema.ts";
import type { StoredShift } from "../../src/sandbox/organisation.ts";
import type { ProviderCall } from "../../test/harness/organisation.ts";
import { type Assigned, addressOf, type Load, type LoadRecord } from "./load.ts";
import type { AcceptedMail } from "./mail.ts";

/** A webhook that the platform acknowledged. */
interface Acknowledged {
  event: string;
  shiftId: string;
  traceId: string;
  /** Whether a call of the platform caused it. */
  isEcho: boolean;
}

/** The state of both sides after the run. */
export interface Reading {
  record: LoadRecord;
  acknowledged: readonly Acknowledged[];
  /** The provider's shifts. */
  shifts: readonly StoredShift[];
  /** Ids of the provider's own people, whom it may assign itself. */
  ownPeople: ReadonlySet<string>;
  /** The people whom the platform has created at the provider. */
  createdPeople: readonly { personalNumber: string }[];
  /** As recorded by the provider. */
  calls: readonly ProviderCall[];
  assigned: readonly Assigned[];
  /** Mails to the people of the provider, as the mail server accepted them. */
  mails: readonly AcceptedMail[];
  stored: Stored;
}

/** What the platform has stored about one provider. */
export interface Stored {
  integration: Pick<Integration, "paused_since" | "held_since" | "health">;
  events: { event: string; shift_id: string; trace_id: string; status: string; verdict: Outcome | null }[];
  jobs: Pick<
    Job,
    | "job_id"
    | "shift_id"
    | "status"
    | "start_time"
    | "end_time"
    | "positions"
    | "own_people"
    | "own_people_count"
  >[];
  bookings: Pick<
    Booking,
    | "job_id"
    | "candidate_id"
    | "provider_candidate_id"
    | "status"
    | "reason"
    | "reason_params"
    | "at_provider"
  >[];
  notifications: Pick<
    Selectable<NotificationsTable>,
    | "notification_id"
    | "candidate_id"
    | "job_id"
    | "kind"
    | "channel"
    | "delivered_at"
    | "delivery_error"
    | "withdrawn_at"
    | "digest_id"
  >[];
  /** Codes of open issues. */
  issues: { code: string }[];
  /** The recorded steps of each call about a shift. */
  steps: { step: string; code: string; shift_id: string | null }[];
  /** Work that is left. */
  work: { kind: WorkKind; key: string; priority: number; attempts: number }[];
}

export async function readBoth(
  kysely: Kysely<Schema>,
  load: Load,
  mails: readonly AcceptedMail[],
): Promise<Reading> {
  const { organisation, record, seeded, assigned } = load;
  const { provider, providerId, calls } = organisation;
  const sent = provider.deliveries.filter(({ delivery }) => delivery?.delivered);
  return {
    record,
    calls,
    assigned,
    shifts: provider.shifts,
    acknowledged: [...sent, ...record.events.map((event) => ({ ...event, isEcho: false }))],
    ownPeople: new Set(provider.candidates.slice(0, seeded).map(({ id }) => id)),
    createdPeople: provider.candidates.slice(seeded),
    mails: mails.filter(({ to }) => to === addressOf(load)),
    stored: await readStored(kysely, providerId),
  };
}

async function readStored(kysely: Kysely<Schema>, providerId: string): Promise<Stored> {
  const jobIds = kysely.selectFrom("jobs").select("job_id").where("provider_id", "=", providerId);
  return {
    ...(await readBooked(kysely, jobIds)),
    integration: await kysely
      .selectFrom("integrations")
      .selectAll()
      .where("provider_id", "=", providerId)
      .executeTakeFirstOrThrow(),
    events: await kysely.selectFrom("events").selectAll().where("provider_id", "=", providerId).execute(),
    jobs: await kysely.selectFrom("jobs").selectAll().where("provider_id", "=", providerId).execute(),
    steps: await kysely.selectFrom("trace_steps").selectAll().where("provider_id", "=", providerId).execute(),
    work: await kysely.selectFrom("work").selectAll().where("provider_id", "=", providerId).execute(),
    issues: await kysely
      .selectFrom("issues")
      .select("code")
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
