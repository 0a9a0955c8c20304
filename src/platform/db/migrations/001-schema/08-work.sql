-- What the processes on this database share.

-- What is due, at most one row for each shift, person and recipient. `due_at` is also the end of a claim's lease: a run that dies is due
-- again automatically. `revision` grows with each hint, so that a run notices what came while it was under way.
create table work (
  provider_id uuid not null,
  -- `refresh`: what concerns thousands of shifts is made due in batches.
  kind text not null check (kind in ('shift', 'person', 'mail', 'webhook', 'check', 'probe', 'refresh', 'registry')),
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
create index work_due on work (provider_id, priority, is_first, due_at) where kind not in ('mail', 'webhook');
-- What became due lately, and what is tried again soon, at any organisation.
create index work_due_at on work (priority, due_at) where kind not in ('mail', 'webhook');
create index work_of_channel on work (kind, priority, due_at) where kind in ('mail', 'webhook');
create index work_claimed on work (provider_id) where claim is not null and kind not in ('mail', 'webhook');

-- The platform processes on this database, each of which records every few seconds that it is at work: they share the limits that hold for
-- all of them together. What a crash of the database loses of it is recorded again.
create unlogged table processes (
  process_id uuid primary key,
  seen_at timestamptz not null
);

-- Where the database was last used (db/place.ts): one row, which a copy brings along.
create table last_place (
  id integer primary key default 1 check (id = 1),
  place text not null
);

-- Names that exclude others: a transaction locks their rows until it ends (db/name-locks.ts). A key says nothing of a person.
create unlogged table locks (
  key bigint primary key
);
