-- Jobs, and the bookings and changes of each.

create table jobs (
  job_id uuid not null,
  provider_id uuid not null references integrations,
  shift_id text not null,
  status text not null check (status in ('blocked_mapping', 'open', 'filled', 'cancelled', 'expired')),
  cancelled_by text check (cancelled_by in ('employer', 'provider', 'absence')),
  variant text not null check (variant in ('a', 'b')),
  start_time timestamptz not null,
  end_time timestamptz not null,
  positions integer not null check (positions >= 0),
  outlet_id text not null,
  outlet_name text,
  role_id text not null,
  role_name text,
  -- Shown to candidates; only some providers send them.
  break_minutes integer,
  description text,
  workplace_id uuid references workplaces,
  competence_id uuid references competences,
  overfilled boolean not null default false,
  own_people jsonb not null default '[]',
  own_people_count integer not null default 0,
  warnings jsonb not null default '[]',
  -- Grows when a seat becomes free or the times change: then everyone available is offered the job anew.
  offer_round integer not null default 0,
  -- The round that began when a confirmed booking of the job last ended: an offer of an earlier round is not restored, but made again.
  renewed_round integer not null default 0,
  -- The times, outlet and role that people were last notified of, until the present ones are settled.
  announced jsonb,
  -- The trace that the job, its bookings and its cancellation belong to.
  trace_id text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (provider_id, job_id),
  unique (provider_id, shift_id),
  check (end_time > start_time)
);
create index jobs_id on jobs (job_id);
-- Lists of jobs by start, of a status, of the active ones, and of an organisation: each page is a range of one index. Retention reads by the start too.
create index jobs_start on jobs (start_time, job_id);
-- A job is active until its shift starts, so the active ones are few: a status of theirs needs no order of its own. A new job enters only what it needs.
create index jobs_active on jobs (start_time, job_id) where status in ('blocked_mapping', 'open', 'filled');
create index jobs_future on jobs (provider_id, start_time, job_id) where status in ('blocked_mapping', 'open', 'filled');
create index jobs_status on jobs (status, start_time, job_id) where status in ('cancelled', 'expired');
create index jobs_of_provider_status on jobs (provider_id, status, start_time, job_id) where status in ('cancelled', 'expired');
-- The newest jobs in a status, however few they are among the jobs of years.
create index jobs_of_status on jobs (status, job_id);

create table bookings (
  booking_id uuid not null,
  provider_id uuid not null,
  job_id uuid not null,
  candidate_id uuid not null references candidates,
  provider_candidate_id text,
  status text not null check (status in ('pending', 'confirmed', 'released', 'failed')),
  -- BookingReason of the operations API.
  reason text,
  reason_params jsonb not null default '{}',
  -- While a withdrawal waits for the provider: the booking holds its seat until then, and cannot be accepted again.
  withdrawn_at timestamptz,
  -- Whether the person is on the provider's shift because of the platform. `maybe`: a call was sent, and its outcome is not known.
  at_provider text not null default 'no' check (at_provider in ('no', 'maybe', 'yes')),
  doubt_since timestamptz,
  -- When the first assign was sent.
  sent_at timestamptz,
  -- The provider's answer to a call that repeated one in doubt: the next reading decides.
  rejection jsonb,
  -- The first reading in a row whose list should show the person, and does not.
  missing_since timestamptz,
  is_reassigned boolean not null default false,
  -- An assignment was sent whose outcome was unknown: it may take effect late.
  may_act_late boolean not null default false,
  -- When the provider confirmed that the person is off the shift.
  left_at timestamptz,
  -- The ids by which the provider, or its lists, did not know the person, and which were looked up again.
  sought_ids jsonb not null default '[]',
  -- Since the provider answered a call about the person as if it had no route: how often the route had recovered before.
  route_doubt integer,
  -- Whether an operator accepted for the person: then the company vouches for it.
  is_by_operator boolean not null default false,
  -- Identifies the assignment in calendars, if the booking continues one on another shift; null: booking_id does.
  calendar_uid uuid,
  trace_id text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (provider_id, booking_id),
  foreign key (provider_id, job_id) references jobs (provider_id, job_id)
);
create index bookings_id on bookings (booking_id);
create index bookings_candidate on bookings (candidate_id);
create index bookings_job on bookings (provider_id, job_id);
-- A candidate holds at most one seat of a job.
create unique index bookings_live on bookings (provider_id, job_id, candidate_id) where status in ('pending', 'confirmed');
-- What metrics read costs the same, however much has ended.
create index bookings_pending on bookings (provider_id, created_at) where status = 'pending';

-- The candidates among the people whom the provider assigned itself: they work at that time, as far as their organisation is concerned. Of those in
-- `jobs.own_people`, and written with it.
create table own_people (
  provider_id uuid not null,
  job_id uuid not null,
  candidate_id uuid not null references candidates,
  created_at timestamptz not null default now(),
  primary key (provider_id, job_id, candidate_id),
  foreign key (provider_id, job_id) references jobs (provider_id, job_id)
);
create index own_people_candidate on own_people (candidate_id);

-- A change of times or positions that the provider was asked for.
create table shift_changes (
  change_id uuid not null,
  provider_id uuid not null,
  job_id uuid not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  positions integer not null,
  -- What was asked for: what is not named is as the job has it when the change is sent.
  named jsonb not null default '["startTime", "endTime", "positions"]',
  -- The values before the last call, from a reading in the same run; times in milliseconds.
  base jsonb,
  status text not null check (status in ('pending', 'confirmed', 'refused')),
  -- ChangeReason of the operations API.
  reason text,
  reason_params jsonb not null default '{}',
  sent_at timestamptz,
  trace_id text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (provider_id, change_id),
  foreign key (provider_id, job_id) references jobs (provider_id, job_id)
);
create index shift_changes_id on shift_changes (change_id);
create index shift_changes_job on shift_changes (provider_id, job_id);
