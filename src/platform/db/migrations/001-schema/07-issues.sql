-- What explains why something happened, or did not.

create table issues (
  issue_id uuid not null,
  provider_id uuid not null,
  -- IssueCode of the operations API.
  code text not null,
  subject jsonb not null,
  params jsonb not null default '{}',
  count integer not null default 1,
  trace_id text,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  resolved_at timestamptz,
  -- The name of the operator who handles it.
  assigned_to text,
  snoozed_until timestamptz,
  -- IssueHistory[] of the operations API: what operators did.
  history jsonb not null default '[]',
  -- When an alert of it is due, for each way by which operators are alerted: at once if null, once a lease is over, or never again after one was sent.
  mail_alert_due_at timestamptz,
  webhook_alert_due_at timestamptz,
  primary key (provider_id, issue_id)
);
create index issues_id on issues (issue_id);
-- One open issue for each cause.
create unique index issues_open on issues (provider_id, code, subject) where resolved_at is null;
create index issues_shift on issues (provider_id, (subject ->> 'shiftId')) where resolved_at is null;
-- What metrics read costs the same, however much has ended.
create index issues_unresolved on issues (code) where resolved_at is null;
-- What retention removes.
create index issues_resolved on issues (resolved_at) where resolved_at is not null;
-- The open issues in order of urgency (`URGENCY_OF` in src/contract/operator-text/issue.ts).
create index issues_urgency on issues ((case
  when code in ('token_rejected', 'mass_disappearance', 'provider_down', 'provider_implausible', 'route_missing', 'provider_refused',
    'provider_gave_no_answer', 'shift_overfilled', 'booking_failed', 'booking_overlaps', 'competence_missing',
    'unassign_failed', 'candidate_ambiguous', 'candidate_id_shared', 'candidate_number_changed', 'assigned_as_another',
    'cancellation_refused') then 2
  when code in ('provider_check', 'provider_check_failed') then 0 else 1 end), issue_id) where resolved_at is null;

-- Webhooks that were refused: a row for each organisation, cause and hour, so that a flood of them fills no database.
create table rejected_webhooks (
  rejection_id uuid not null,
  -- Zeros: the token names no organisation.
  provider_id uuid not null,
  hour timestamptz not null,
  -- Of the problem document.
  code text not null,
  -- A field that the contract names, or nothing.
  pointer text not null,
  count bigint not null,
  last_at timestamptz not null,
  primary key (provider_id, rejection_id),
  unique (provider_id, hour, code, pointer)
);
-- The list, and retention.
create index rejected_webhooks_id on rejected_webhooks (rejection_id);

-- By day: an old day is dropped as a whole. Upkeep makes the days, and drops them.
create table trace_steps (
  step_id uuid not null,
  trace_id text not null,
  at timestamptz not null default now(),
  -- StepName of the operations API.
  step text not null,
  -- OutcomeCode of the operations API.
  code text not null,
  params jsonb not null default '{}',
  duration_ms double precision,
  provider_id uuid not null,
  shift_id text,
  job_id uuid,
  operator text,
  primary key (provider_id, step_id, at)
) partition by range (at);
create index trace_steps_trace on trace_steps (trace_id);
-- A step whose day is missing is not lost.
create table trace_steps_rest partition of trace_steps default;
