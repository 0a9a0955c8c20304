import type { ColumnType, Generated, GeneratedAlways, Selectable } from "kysely";

/**
 * The tables of schema `shiftpact`, as migrations/*.sql make them; test/platform/db/schema.test.ts compares the two.
 * Times are Dates in and out. A jsonb column is written as JSON text (`JSON.stringify(value)`), because the drivers
 * disagree on arrays, and read as the parsed value.
 */
type Json<T> = ColumnType<T, string, string>;
type JsonWithDefault<T> = ColumnType<T, string | undefined, string>;

export type Routing = "path" | "header";
export type IntegrationState = "draft" | "active" | "suspended";
export type EventStatus = "queued" | "processed" | "ignored" | "skipped_echo" | "failed" | "dead";
export type JobStatus = "blocked_mapping" | "open" | "filled" | "cancelled" | "expired";
export type BookingStatus = "pending" | "confirmed" | "released" | "failed";

export interface Schema {
  migrations: { name: string; checksum: string; applied_at: Generated<Date> };
  integrations: IntegrationsTable;
  platform_tokens: {
    token_hash: string;
    provider_id: string;
    created_at: Generated<Date>;
    valid_until: Date | null;
  };
  workplaces: { workplace_id: string; name: string; address: string | null; created_at: Generated<Date> };
  competences: { competence_id: string; name: string; created_at: Generated<Date> };
  outlets: {
    provider_id: string;
    outlet_id: string;
    name: string;
    address: string | null;
    workplace_id: string | null;
  };
  roles: { provider_id: string; role_id: string; name: string; competence_id: string | null };
  candidates: CandidatesTable;
  candidate_competences: { candidate_id: string; competence_id: string };
  provider_candidates: {
    provider_id: string;
    candidate_id: string;
    provider_candidate_id: string;
    created_at: Generated<Date>;
  };
  events: EventsTable;
  jobs: JobsTable;
  tombstones: { provider_id: string; shift_id: string; deleted_at: Generated<Date> };
  bookings: BookingsTable;
  pending_operations: PendingOperationsTable;
  notifications: NotificationsTable;
  trace_steps: TraceStepsTable;
  issues: IssuesTable;
  reveals: { reveal_id: string; candidate_id: string; reason: string; revealed_at: Generated<Date> };
  field_uses: { provider_id: string; field: string; count: Generated<number> };
  shift_changes: ShiftChangesTable;
  shift_spellings: { provider_id: string; shift_id: string; spelling: string };
  processes: { process_id: string; seen_at: Date };
  figures: { minute: Date; name: string; provider_id: Generated<string>; value: number };
}

export interface IntegrationsTable {
  provider_id: string;
  kind: string;
  name: string;
  base_url: string;
  routing: Generated<Routing>;
  state: Generated<IntegrationState>;
  time_zone: Generated<string>;
  /** Sealed; opaque here. */
  provider_token: string;
  dialect: JsonWithDefault<Record<string, unknown>>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface CandidatesTable {
  candidate_id: string;
  /** 12 digits. */
  personal_number: string;
  first_name: string;
  last_name: string;
  email: string;
  phone: string;
  /** Sealed; opaque here. */
  hire: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  /** Then every other column is anonymous. */
  erased_at: Date | null;
}

export interface EventsTable {
  event_id: string;
  provider_id: string;
  event: string;
  shift_id: string;
  trace_id: string;
  status: Generated<EventStatus>;
  attempts: Generated<number>;
  verdict: string | null;
  absences: Generated<number>;
  received_at: Generated<Date>;
  dispatched_at: Date | null;
  processed_at: Date | null;
  /** By an operator: then it is no echo any more. */
  replayed_at: Date | null;
  /** When it was last queued again by itself, after every try had failed. */
  revived_at: Date | null;
}

export interface JobsTable {
  job_id: string;
  provider_id: string;
  shift_id: string;
  status: JobStatus;
  variant: "a" | "b";
  start_time: Date;
  end_time: Date;
  positions: number;
  outlet_id: string;
  outlet_name: string | null;
  role_id: string;
  role_name: string | null;
  workplace_id: string | null;
  competence_id: string | null;
  overfilled: Generated<boolean>;
  warnings: JsonWithDefault<string[]>;
  trace_id: string;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  /** When the hourly reconciliation last asked for the shift. */
  reconciled_at: Date | null;
  /** Grows with each answer of the provider that was taken over. */
  version: Generated<number>;
}

export interface BookingsTable {
  booking_id: string;
  job_id: string;
  candidate_id: string;
  provider_candidate_id: string | null;
  status: BookingStatus;
  reason: string | null;
  trace_id: string;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  /** While a withdrawal waits for the provider. */
  withdrawn_at: Date | null;
  /** While the provider is to take the candidate of a failed booking off its shift again. */
  recalled_at: Date | null;
}

export interface PendingOperationsTable {
  operation_id: string;
  provider_id: string;
  shift_id: string;
  operation: "delete";
  trace_id: string;
  created_at: Generated<Date>;
  expires_at: Date;
  consumed_at: Date | null;
  /** The event that was taken for the echo. */
  consumed_by: string | null;
}

export interface NotificationsTable {
  notification_id: string;
  candidate_id: string;
  job_id: string;
  kind: string;
  /** What the notification is about: the same change is told once. */
  change_key: string;
  content: Json<Record<string, unknown>>;
  trace_id: string;
  created_at: Generated<Date>;
  /** `email`; null: it is only shown. */
  channel: string | null;
  delivered_at: Date | null;
  delivery_error: string | null;
  /** An offer that did not stand any more when it was to be sent. */
  withheld_at: Date | null;
}

export interface ShiftChangesTable {
  change_id: string;
  job_id: string;
  start_time: Date;
  end_time: Date;
  positions: number;
  status: "pending" | "confirmed" | "refused";
  reason: string | null;
  trace_id: string;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface TraceStepsTable {
  step_id: GeneratedAlways<number>;
  trace_id: string;
  at: Generated<Date>;
  step: string;
  verdict: string;
  detail: JsonWithDefault<Record<string, unknown>>;
  duration_ms: number | null;
  provider_id: string | null;
  shift_id: string | null;
  job_id: string | null;
}

export interface IssuesTable {
  issue_id: string;
  provider_id: string | null;
  code: string;
  subject: string;
  detail: string;
  remedy: string;
  count: Generated<number>;
  trace_id: string | null;
  first_at: Generated<Date>;
  last_at: Generated<Date>;
  resolved_at: Date | null;
}

export type Integration = Selectable<IntegrationsTable>;
export type StoredEvent = Selectable<EventsTable>;
export type Job = Selectable<JobsTable>;
export type Booking = Selectable<BookingsTable>;
export type PendingOperation = Selectable<PendingOperationsTable>;
export type ShiftChange = Selectable<ShiftChangesTable>;
