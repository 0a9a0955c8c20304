import type { ColumnType, Generated, Selectable } from "kysely";
import type {
  BookingReason,
  ChangeReason,
  DeliveryCode,
  IssueCode,
  NotificationKind,
  Outcome,
  OutcomeCode,
  Params,
  StepName,
  Subject,
} from "../../../generated/operations/types.ts";

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
  provider_candidates: ProviderCandidatesTable;
  events: EventsTable;
  jobs: JobsTable;
  shifts: ShiftsTable;
  work: WorkTable;
  bookings: BookingsTable;
  pending_operations: PendingOperationsTable;
  notifications: NotificationsTable;
  trace_steps: TraceStepsTable;
  issues: IssuesTable;
  reveals: { reveal_id: string; candidate_id: string; reason: string; revealed_at: Generated<Date> };
  field_uses: { provider_id: string; field: string; count: Generated<number> };
  shift_changes: ShiftChangesTable;
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
  /** Of a change that makes other calls necessary; not of the provider's health. */
  updated_at: Generated<Date>;
  /** Since the provider rejected the token (401 or 403): nothing of the integration is called but a probe. */
  paused_since: Date | null;
  health: Generated<"reachable" | "unreachable" | "rate_limited" | "implausible">;
  health_since: Generated<Date>;
  health_until: Date | null;
  /** Since many shifts were gone at once: no more of them are taken as deleted. */
  held_since: Date | null;
  /** Until then an operator's word holds that the shifts are gone. */
  absence_accepted_until: Date | null;
}

/** What is due: at most one row for each shift, person and recipient. */
export interface WorkTable {
  provider_id: string;
  kind: WorkKind;
  key: string;
  /** 0: an operator or a candidate waits; 1: an event; 2: in the background. */
  priority: number;
  /** Of a claimed row: when the claim ends unless it is renewed. */
  due_at: Generated<Date>;
  not_before: Date | null;
  /** In a row that failed. */
  attempts: Generated<number>;
  claim: string | null;
  /** Grows with each hint. */
  revision: Generated<number>;
  created_at: Generated<Date>;
}

export type WorkKind = "shift" | "person" | "mail" | "check" | "probe";

/** What is known of a shift at its provider. */
export interface ShiftsTable {
  provider_id: string;
  shift_id: string;
  spelling: string | null;
  read_at: Date | null;
  next_read_at: Date | null;
  rechecks: Generated<number>;
  absences: Generated<number>;
  absent_since: Date | null;
  gone_at: Date | null;
}

/** A person at a provider; without an id there while the person is looked up or created. */
export interface ProviderCandidatesTable {
  provider_id: string;
  candidate_id: string;
  provider_candidate_id: string | null;
  created_at: Generated<Date>;
  /** Of a create whose outcome is not known. */
  create_sent_at: Date | null;
  idempotency_key: string | null;
  /** Why there is no id. */
  trouble: Json<PersonTrouble> | null;
}

export type PersonTrouble =
  /** The provider does not know the id any more that was stored: the person is looked up, but not created at once. */
  | { kind: "forgotten" }
  | { kind: "ambiguous"; matches: number }
  | { kind: "refused"; status: number; code?: string };

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
  verdict: Json<Outcome> | null;
  received_at: Generated<Date>;
  processed_at: Date | null;
  /** By an operator: then it is no echo any more. */
  replayed_at: Date | null;
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
  cancelled_by: "employer" | "provider" | "absence" | null;
  /** Whom the provider assigned itself: at most 100 of them. */
  own_people: JsonWithDefault<OwnPerson[]>;
  own_people_count: Generated<number>;
  /** Grows when a seat becomes free or the times change: then everyone available is offered the job anew. */
  offer_round: Generated<number>;
}

export interface OwnPerson {
  providerCandidateId: string;
  candidateId?: string;
}

export interface BookingsTable {
  provider_id: string;
  booking_id: string;
  job_id: string;
  candidate_id: string;
  provider_candidate_id: string | null;
  status: BookingStatus;
  reason: BookingReason | null;
  reason_params: JsonWithDefault<Params>;
  trace_id: string;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  /** While a withdrawal waits for the provider. */
  withdrawn_at: Date | null;
  /** Whether the person is on the provider's shift because of the platform; `maybe` while the outcome of a call is not known. */
  at_provider: Generated<"no" | "maybe" | "yes">;
  doubt_since: Date | null;
  /** When the first assign was sent. */
  sent_at: Date | null;
  /** The provider's answer to a call that repeated one in doubt: the next reading decides. */
  rejection: Json<Rejection> | null;
  /** A reading has listed the person. */
  listed: Generated<boolean>;
  /** Readings in a row that did not list the person. */
  missing: Generated<number>;
  reassigned: Generated<boolean>;
  looked_up_again: Generated<boolean>;
}

/** How a provider refused a call. */
export interface Rejection {
  status: number;
  code?: string;
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
  sent_at: Date | null;
  confirmed_at: Date | null;
}

export interface NotificationsTable {
  provider_id: string;
  notification_id: string;
  candidate_id: string;
  job_id: string;
  kind: NotificationKind;
  /** What the notification is about: each change is notified once. */
  change_key: string;
  content: Json<Record<string, unknown>>;
  trace_id: string;
  created_at: Generated<Date>;
  /** `email`; null: it is only shown. */
  channel: string | null;
  delivered_at: Date | null;
  delivery_error: DeliveryCode | null;
  delivery_params: JsonWithDefault<Params>;
  /** When an offer ceased to hold. */
  withdrawn_at: Date | null;
}

export interface ShiftChangesTable {
  provider_id: string;
  change_id: string;
  job_id: string;
  start_time: Date;
  end_time: Date;
  positions: number;
  /** What was asked for; the rest is as the job has it when the change is sent. */
  named: JsonWithDefault<("startTime" | "endTime" | "positions")[]>;
  status: "pending" | "confirmed" | "refused";
  reason: ChangeReason | null;
  reason_params: JsonWithDefault<Params>;
  sent_at: Date | null;
  trace_id: string;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface TraceStepsTable {
  step_id: string;
  trace_id: string;
  at: Generated<Date>;
  step: StepName;
  code: OutcomeCode;
  params: JsonWithDefault<Params>;
  duration_ms: number | null;
  provider_id: string;
  shift_id: string | null;
  job_id: string | null;
}

export interface IssuesTable {
  issue_id: string;
  provider_id: string;
  code: IssueCode;
  subject: Json<Subject>;
  params: JsonWithDefault<Params>;
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
export type ShiftChange = Selectable<ShiftChangesTable>;
