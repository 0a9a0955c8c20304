-- What the processes on this database share.

-- What is due, at most one row for each shift, person and recipient. `due_at` is also the end of a claim's lease: a run that dies is due
-- again automatically. `revision` grows with each hint, so that a run notices what came while it was under way.
create table work (
  provider_id uuid not null,
  -- `refresh`: what concerns thousands of shifts is made due in batches.
  kind text not null check (kind in ('shift', 'person', 'mail', 'check', 'probe', 'refresh')),
  key text not null,
  -- 0: an operator or a candidate waits; 1: an event; 2: in the background.
  priority smallint not null check (priority between 0 and 2),
  -- No reading has succeeded since its newest hint.
  is_first boolean not null default true,
  due_at timestamptz not null default now(),
  -- The provider's Retry-After: no hint makes the row due earlier.
  not_before timestamptz,
  -- Attempts in a row that failed.
  attempts integer not null default 0,
  claim uuid,
  revision integer not null default 0,
  created_at timestamptz not null default now(),
  primary key (provider_id, kind, key)
);
create index work_due on work (provider_id, priority, is_first, due_at) where kind <> 'mail';
-- What became due lately, and what is tried again soon, at any organisation.
create index work_due_at on work (priority, due_at) where kind <> 'mail';
create index work_mail on work (priority, due_at) where kind = 'mail';
create index work_claimed on work (provider_id) where claim is not null and kind <> 'mail';

-- The platform processes on this database, each of which records every few seconds that it is at work: they share the limits that hold for
-- all of them together. What a crash of the database loses of it is recorded again.
create unlogged table processes (
  process_id uuid primary key,
  seen_at timestamptz not null
);

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
