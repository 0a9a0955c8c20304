-- Grows with each answer of the provider that was taken over: one that was asked for before is known as the older one.
alter table jobs add column version integer not null default 0;

-- When it was last queued again by itself, after every try had failed.
alter table events add column revived_at timestamptz;

-- A UUID is the same in either case, and is kept in lower case: how the provider spells it, where it does otherwise.
create table shift_spellings (
  provider_id uuid not null,
  shift_id text not null,
  spelling text not null,
  primary key (provider_id, shift_id)
);

-- What was stored before. A shift that has two jobs already keeps both.
create temporary table misspelt on commit drop as
  select job_id, provider_id, shift_id from jobs
  where shift_id <> lower(shift_id) and shift_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    and not exists (select from jobs as other where other.provider_id = jobs.provider_id
      and other.job_id <> jobs.job_id and lower(other.shift_id) = lower(jobs.shift_id));
insert into shift_spellings select provider_id, lower(shift_id), shift_id from misspelt;
update jobs set shift_id = lower(jobs.shift_id) from misspelt where jobs.job_id = misspelt.job_id;
update pending_operations set shift_id = lower(pending_operations.shift_id) from misspelt
  where (pending_operations.provider_id, pending_operations.shift_id) = (misspelt.provider_id, misspelt.shift_id);
update events set shift_id = lower(events.shift_id) from misspelt
  where (events.provider_id, events.shift_id) = (misspelt.provider_id, misspelt.shift_id)
    and not exists (select from events as other where other.provider_id = events.provider_id
      and other.shift_id = lower(events.shift_id) and other.event = events.event and other.trace_id = events.trace_id);
