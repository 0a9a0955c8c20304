-- The limits that all processes hold together. What a crash of the database loses of them only lets a few calls, or webhooks, more pass.

-- When the next call to a provider may start.
create unlogged table call_rates (
  provider_id uuid primary key,
  -- When all calls so far would have started, had they been spread evenly over the second, and over the minute.
  second_until timestamptz not null default '-infinity',
  minute_until timestamptz not null default '-infinity',
  -- The provider asked for silence.
  silent_until timestamptz not null default '-infinity'
);

-- How many webhooks of a provider came in a minute.
create unlogged table webhook_counts (
  provider_id uuid not null,
  minute timestamptz not null,
  count bigint not null,
  primary key (provider_id, minute)
);

create index work_claimed on work (provider_id) where claim is not null and kind <> 'mail';

-- What concerns thousands of shifts is made due in batches.
alter table work drop constraint work_kind_check,
  add constraint work_kind_check check (kind in ('shift', 'person', 'mail', 'check', 'probe', 'refresh'));
drop index jobs_competence;
create index jobs_competence on jobs (provider_id, competence_id, shift_id) where status = 'open';
