import type { Kysely, Selectable, SelectQueryBuilder } from "kysely";
import type { Outcome } from "../../generated/operations/types.ts";
import type { Booking, Job, NotificationsTable, Schema, WorkKind } from "../../src/platform/db/schema.ts";
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
  conditions: { code: string }[];
  events: { event: string; shiftId: string; traceId: string; status: string; verdict: Outcome | null }[];
  jobs: Pick<
    Job,
    "jobId" | "shiftId" | "status" | "startTime" | "endTime" | "positions" | "ownPeople" | "ownPeopleCount"
  >[];
  bookings: Pick<
    Booking,
    "jobId" | "candidateId" | "providerCandidateId" | "status" | "reason" | "reasonParams" | "atProvider"
  >[];
  notifications: Pick<
    Selectable<NotificationsTable>,
    | "notificationId"
    | "candidateId"
    | "jobId"
    | "kind"
    | "channel"
    | "deliveredAt"
    | "deliveryError"
    | "withdrawnAt"
    | "digestId"
  >[];
  /** Codes of open issues. */
  issues: { code: string }[];
  /** The recorded steps of each call about a shift. */
  steps: { step: string; code: string; shiftId: string | null }[];
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
  const jobIds = kysely.selectFrom("jobs").select("jobId").where("providerId", "=", providerId);
  return {
    ...(await readBooked(kysely, jobIds)),
    conditions: await kysely
      .selectFrom("conditions")
      .selectAll()
      .where("providerId", "=", providerId)
      .execute(),
    events: await kysely.selectFrom("events").selectAll().where("providerId", "=", providerId).execute(),
    jobs: await kysely.selectFrom("jobs").selectAll().where("providerId", "=", providerId).execute(),
    steps: await kysely.selectFrom("traceSteps").selectAll().where("providerId", "=", providerId).execute(),
    work: await kysely.selectFrom("work").selectAll().where("providerId", "=", providerId).execute(),
    issues: await kysely
      .selectFrom("issues")
      .select("code")
      .where("providerId", "=", providerId)
      .where("resolvedAt", "is", null)
      .execute(),
  };
}

type JobIds = SelectQueryBuilder<Schema, "jobs", { jobId: string }>;

async function readBooked(kysely: Kysely<Schema>, jobIds: JobIds) {
  return {
    bookings: await kysely.selectFrom("bookings").selectAll().where("jobId", "in", jobIds).execute(),
    notifications: await kysely
      .selectFrom("notifications")
      .selectAll()
      .where("jobId", "in", jobIds)
      .execute(),
  };
}
