-- Names are the contract's. Ids of our own are UUIDv7 made in the application; ids of a provider are text,
-- because variant B of the shift has plain strings (CONTRACT 2.2).

create table integrations (
  provider_id uuid primary key,
  kind text not null,
  name text not null,
  base_url text not null,
  routing text not null default 'path' check (routing in ('path', 'header')),
  state text not null default 'draft' check (state in ('draft', 'active', 'suspended')),
  time_zone text not null default 'Europe/Stockholm',
  provider_token text not null,
  dialect jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table platform_tokens (
  token_hash text primary key,
  provider_id uuid not null references integrations,
  created_at timestamptz not null default now(),
  valid_until timestamptz
);
create index platform_tokens_provider on platform_tokens (provider_id);

create table workplaces (
  workplace_id uuid primary key,
  name text not null,
  address text,
  created_at timestamptz not null default now()
);

create table competences (
  competence_id uuid primary key,
  name text not null,
  created_at timestamptz not null default now()
);

create table outlets (
  provider_id uuid not null references integrations,
  outlet_id text not null,
  name text not null,
  address text,
  workplace_id uuid references workplaces,
  primary key (provider_id, outlet_id)
);

create table roles (
  provider_id uuid not null references integrations,
  role_id text not null,
  name text not null,
  competence_id uuid references competences,
  primary key (provider_id, role_id)
);

create table candidates (
  candidate_id uuid primary key,
  personal_number text not null unique,
  first_name text not null,
  last_name text not null,
  email text not null,
  phone text not null,
  hire text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table candidate_competences (
  candidate_id uuid not null references candidates on delete cascade,
  competence_id uuid not null references competences,
  primary key (candidate_id, competence_id)
);
create index candidate_competences_competence on candidate_competences (competence_id);

create table provider_candidates (
  provider_id uuid not null references integrations,
  candidate_id uuid not null references candidates on delete cascade,
  provider_candidate_id text not null,
  created_at timestamptz not null default now(),
  primary key (provider_id, candidate_id)
);

-- No reference to integrations: the insert is what an acknowledgement waits for.
create table events (
  event_id uuid primary key,
  provider_id uuid not null,
  event text not null,
  shift_id text not null,
  trace_id text not null,
  payload jsonb not null,
  status text not null default 'queued'
    check (status in ('queued', 'processed', 'ignored', 'skipped_echo', 'failed', 'dead')),
  attempts integer not null default 0,
  verdict text,
  -- How often the provider did not know the shift yet: a read replica may lag behind.
  absences integer not null default 0,
  received_at timestamptz not null default now(),
  dispatched_at timestamptz,
  processed_at timestamptz,
  unique (provider_id, event, shift_id, trace_id)
);
create index events_undispatched on events (event_id) where dispatched_at is null and status = 'queued';
create index events_shift on events (provider_id, shift_id);
create index events_status on events (status);
create index events_trace on events (trace_id);

create table jobs (
  job_id uuid primary key,
  provider_id uuid not null references integrations,
  shift_id text not null,
  status text not null check (status in ('blocked_mapping', 'open', 'filled', 'cancelled', 'expired')),
  variant text not null check (variant in ('a', 'b')),
  start_time timestamptz not null,
  end_time timestamptz not null,
  positions integer not null check (positions >= 0),
  outlet_id text not null,
  outlet_name text,
  role_id text not null,
  role_name text,
  workplace_id uuid references workplaces,
  competence_id uuid references competences,
  overfilled boolean not null default false,
  warnings jsonb not null default '[]',
  -- The story that the job, its bookings and its cancellation belong to.
  trace_id text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (provider_id, shift_id),
  check (end_time > start_time)
);
create index jobs_status on jobs (status, start_time);

create table tombstones (
  provider_id uuid not null references integrations,
  shift_id text not null,
  deleted_at timestamptz not null default now(),
  primary key (provider_id, shift_id)
);

create table bookings (
  booking_id uuid primary key,
  job_id uuid not null references jobs,
  candidate_id uuid not null references candidates,
  provider_candidate_id text,
  status text not null check (status in ('pending', 'confirmed', 'released', 'failed')),
  reason text,
  trace_id text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index bookings_live on bookings (job_id, candidate_id) where status in ('pending', 'confirmed');
create index bookings_candidate on bookings (candidate_id);
create index bookings_job on bookings (job_id);

create table pending_operations (
  operation_id uuid primary key,
  provider_id uuid not null references integrations,
  shift_id text not null,
  operation text not null check (operation in ('delete')),
  trace_id text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  consumed_at timestamptz
);
create index pending_operations_open on pending_operations (provider_id, shift_id, operation)
  where consumed_at is null;

create table notifications (
  notification_id uuid primary key,
  candidate_id uuid not null references candidates,
  job_id uuid not null references jobs,
  kind text not null,
  change_key text not null,
  content jsonb not null,
  trace_id text not null,
  created_at timestamptz not null default now(),
  unique (candidate_id, job_id, kind, change_key)
);
create index notifications_job on notifications (job_id);

create table trace_steps (
  step_id bigint generated always as identity primary key,
  trace_id text not null,
  at timestamptz not null default now(),
  step text not null,
  verdict text not null,
  detail jsonb not null default '{}',
  duration_ms double precision,
  provider_id uuid,
  shift_id text,
  job_id uuid
);
create index trace_steps_trace on trace_steps (trace_id);

create table issues (
  issue_id uuid primary key,
  provider_id uuid,
  code text not null,
  subject text not null,
  detail text not null,
  remedy text not null,
  count integer not null default 1,
  trace_id text,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  resolved_at timestamptz
);
-- One open issue for each cause; a platform-wide issue has no provider.
create unique index issues_open on issues (provider_id, code, subject) nulls not distinct
  where resolved_at is null;
