import type { Generated, Selectable } from "kysely";
import type * as api from "../../../generated/operations/types.ts";
import type { Json, JsonWithDefault, Stamped } from "./column.ts";
import type { Rejection, Routes, ShiftTables } from "./schema-shifts.ts";

export type { ProviderRoute, Rejection, Routes, ShiftValues, WorkKind } from "./schema-shifts.ts";

/**
 * The tables of schema `shiftpact`, as migrations/ makes them; test/platform/db/schema.test.ts compares the two.
 * Times are Dates in and out.
 */
export interface Schema extends ShiftTables {
  migrations: { name: string; checksum: string; applied_at: Generated<Date>; works_with: string | null };
  integrations: {
    provider_id: string;
    kind: string;
    name: string;
    base_url: string;
    /** Not to be called by while `routing_source` is `pending`. */
    routing: Generated<api.Routing>;
    routing_source: Generated<api.RoutingSource>;
    routing_attempts: JsonWithDefault<api.RoutingAttempt[]>;
    state: Generated<api.IntegrationState>;
    time_zone: Generated<string>;
    /** Of its candidates who have none of their own; null: that of the installation. */
    language: api.Language | null;
    contact_phone: string | null;
    /** The end of the last check of its provider that could be made. */
    checked_at: Date | null;
    /** Sealed; opaque here. */
    provider_token: string;
    dialect: JsonWithDefault<api.Dialect>;
    created_at: Generated<Date>;
    /** Of a change that makes other calls necessary; not of the provider's health. */
    updated_at: Generated<Date>;
    /** Since the provider rejected the token (401 or 403): nothing of the integration is called but a probe. */
    paused_since: Date | null;
    health: Generated<Exclude<api.HealthCode, "token_rejected" | "mass_disappearance" | "route_missing">>;
    health_since: Generated<Date>;
    health_until: Date | null;
    /** Since many shifts were gone at once: no more of them are treated as deleted. */
    held_since: Date | null;
    /** Until then an operator's confirmation holds that the shifts are gone. */
    absence_accepted_until: Date | null;
    /** The kind before the last change, in whose path webhooks are answered until then. */
    former_kind: string | null;
    former_kind_until: Date | null;
    /** Of an organisation that leaves: what happens to its future bookings. */
    offboarding: "unassign" | "keep" | null;
    offboarding_since: Date | null;
    deletion_requested_at: Date | null;
    /** Whether a list of the provider has shown a booked person. */
    lists_booked: Generated<boolean>;
    routes: JsonWithDefault<Routes>;
  };
  platform_tokens: {
    token_hash: string;
    provider_id: string;
    created_at: Generated<Date>;
    valid_until: Date | null;
  };
  operators: {
    operator_id: string;
    name: string;
    role: api.Role;
    created_at: Generated<Date>;
    revoked_at: Date | null;
  };
  operator_tokens: {
    token_hash: string;
    operator_id: string;
    created_at: Generated<Date>;
    valid_until: Date;
    replaced_at: Date | null;
  };
  console_sessions: {
    session_hash: string;
    /** Null: OPERATIONS_TOKEN. */
    token_hash: string | null;
    created_at: Date;
    used_at: Date;
  };
  audit: {
    audit_id: string;
    at: Date;
    /** Null: the first admin. */
    operator_id: string | null;
    operator_name: string;
    address: string;
    operation: string;
    subjects: Json<Record<string, string>>;
    changes: Json<api.FieldChange[]>;
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
  candidates: Stamped & {
    candidate_id: string;
    /** Null of an erased person. */
    personal_number_sealed: string | null;
    personal_number_hash: string | null;
    first_name: string;
    last_name: string;
    email: string;
    phone: string;
    /** Sealed; opaque here. */
    hire: string | null;
    /** Null: that of the organisation. */
    language: api.Language | null;
    employee_number: string | null;
    /** Whether the person is valid for every organisation; otherwise for those of the memberships. */
    is_shared: Generated<boolean>;
    /** Then every other column is anonymous. */
    erased_at: Date | null;
  };
  candidate_competences: { candidate_id: string; competence_id: string };
  /** What an organisation asserts about a person by its registry. */
  memberships: {
    provider_id: string;
    candidate_id: string;
    first_name: string;
    last_name: string;
    email: string;
    phone: string;
    released_at: Date | null;
    created_at: Generated<Date>;
  };
  membership_competences: { provider_id: string; candidate_id: string; competence_id: string };
  /** A person at a provider; without an id there while the person is looked up or created. */
  provider_candidates: {
    provider_id: string;
    candidate_id: string;
    provider_candidate_id: string | null;
    known_at: Date | null;
    /** Of a create whose outcome is not known. */
    create_sent_at: Date | null;
    idempotency_key: string | null;
    /** Why there is no id. */
    trouble: Json<PersonFault> | null;
  };
  reveals: { reveal_id: string; candidate_id: string; reason: string; revealed_at: Generated<Date> };
  notifications: {
    provider_id: string;
    notification_id: string;
    candidate_id: string;
    job_id: string;
    kind: api.NotificationKind;
    /** What the notification is about: each change is notified once. */
    change_key: string;
    content: Json<Record<string, unknown>>;
    trace_id: string;
    created_at: Generated<Date>;
    /** `email`; null: it is only shown. */
    channel: string | null;
    delivered_at: Date | null;
    delivery_error: api.DeliveryCode | null;
    delivery_params: JsonWithDefault<api.Params>;
    /** For the company's own service; null: written without one. */
    webhook: NonNullable<api.Notification["webhook"]> | null;
    /** When an offer ceased to hold. */
    withdrawn_at: Date | null;
    /** How often it was sent again after a delivery. */
    resends: Generated<number>;
    /** The mail that an offer is part of, fixed before it is sent; its own id: a mail of its own. */
    digest_id: string | null;
    /** The assignment in calendars that it is about. */
    calendar_uid: string | null;
    /** When its page was first opened, by a person or by a mail scanner. */
    link_opened_at: Date | null;
    /** Part of the tokens of its links: another value ends them. */
    link_salt: Generated<number>;
  };
  /** Candidates who have declined a shift. */
  declines: { provider_id: string; job_id: string; candidate_id: string; declined_at: Date };
  /** Addresses whose owner says that the candidate is someone else. */
  disputed_addresses: { provider_id: string; candidate_id: string; address: string; disputed_at: Date };
  /** A person's links to all shifts at an organisation, and since when the person wants no mail with its offers. */
  personal_links: {
    provider_id: string;
    candidate_id: string;
    salt: number;
    unsubscribed_at: Generated<Date | null>;
  };
  /** The mails with offers of the last day. */
  offer_mails: {
    provider_id: string;
    candidate_id: string;
    digest_id: string;
    /** When its offers were fixed. */
    at: Date;
    /** When the mail server accepted it. */
    sent_at: Date | null;
  };
  trace_steps: {
    step_id: string;
    trace_id: string;
    at: Generated<Date>;
    step: api.StepName;
    code: api.OutcomeCode;
    params: JsonWithDefault<api.Params>;
    duration_ms: number | null;
    provider_id: string;
    shift_id: string | null;
    job_id: string | null;
    /** The name of the operator in whose request it happened. */
    operator: string | null;
  };
  issues: {
    issue_id: string;
    provider_id: string;
    code: api.IssueCode;
    subject: Json<api.Subject>;
    params: JsonWithDefault<api.Params>;
    count: Generated<number>;
    trace_id: string | null;
    first_at: Generated<Date>;
    last_at: Generated<Date>;
    resolved_at: Date | null;
    /** The name of the operator who handles it. */
    assigned_to: string | null;
    snoozed_until: Date | null;
    history: JsonWithDefault<api.IssueHistory[]>;
    mail_alert_due_at: Date | null;
    webhook_alert_due_at: Date | null;
  };
  /** Webhooks that were refused, by organisation, cause and hour. */
  rejected_webhooks: {
    rejection_id: string;
    provider_id: string;
    hour: Date;
    code: string;
    pointer: string;
    count: number;
    last_at: Date;
  };
  field_uses: { provider_id: string; field: string; count: Generated<number> };
  sealed_keys: { name: string; sealed: string };
  erased_people: { number_hash: string; erased_at: Generated<Date> };
  processes: { process_id: string; seen_at: Date };
  webhook_counts: { provider_id: string; minute: Date; count: number };
  call_rates: {
    provider_id: string;
    second_until: Generated<Date>;
    minute_until: Generated<Date>;
    silent_until: Generated<Date>;
  };
  hourly_figures: { provider_id: Generated<string>; name: string; hour: Date; value: number };
  figures: { minute: Date; name: string; provider_id: string; value: number };
}

/**
 * `forgotten`: the provider may no longer know the stored id. The person is looked up, but not created at once. With `id`, the person keeps this id if
 * look-ups until two minutes after `since` find no other. `created`: the provider has created someone, and its response did not say as whom. The person is only looked up.
 * `shared`: the provider had given the id to another candidate before; never stored.
 */
export type PersonFault =
  | { kind: "forgotten"; id?: string | null; since?: string }
  | { kind: "created"; failure: api.FailureCode }
  | { kind: "ambiguous"; matches: number }
  | { kind: "shared" }
  | ({ kind: "refused" } & Rejection);

export type BookingsTable = Schema["bookings"];
export type CandidatesTable = Schema["candidates"];
export type IssuesTable = Schema["issues"];
export type JobsTable = Schema["jobs"];
export type NotificationsTable = Schema["notifications"];
export type PendingOperationsTable = Schema["pending_operations"];
export type ShiftChangesTable = Schema["shift_changes"];
export type TraceStepsTable = Schema["trace_steps"];

export type Integration = Selectable<Schema["integrations"]>;
export type StoredEvent = Selectable<Schema["all_events"]>;
export type Job = Selectable<Schema["jobs"]>;
export type Booking = Selectable<Schema["bookings"]>;
export type ShiftChange = Selectable<Schema["shift_changes"]>;
