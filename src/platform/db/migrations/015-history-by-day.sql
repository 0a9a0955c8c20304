-- works with: 013
-- What has ended, by day: an old day is dropped as a whole. Upkeep makes the days, and drops them.

-- An event stays in `events` while it waits, and for some days after its end, because providers repeat webhooks for as long. Then it
-- moves here. A process of the version before reads `events` only, and misses the older ones in its lists.
create table event_log (like events including defaults) partition by range (received_at);
alter table event_log add primary key (provider_id, event_id, received_at);
create index event_log_id on event_log (event_id);
create index event_log_shift on event_log (shift_id);
create index event_log_trace on event_log (trace_id);
create index event_log_status on event_log (status, event_id) where status <> 'processed';

create view all_events as
  select event_id, provider_id, event, shift_id, trace_id, status, attempts, verdict, received_at, processed_at, replayed_at from events
  union all
  select event_id, provider_id, event, shift_id, trace_id, status, attempts, verdict, received_at, processed_at, replayed_at from event_log;

-- The steps so far, and those until upkeep has made days, are one partition.
alter table trace_steps rename to trace_steps_before;
alter table trace_steps_before drop constraint trace_steps_pkey;
alter index trace_steps_trace rename to trace_steps_before_trace;
drop index trace_steps_at;
create table trace_steps (like trace_steps_before including defaults) partition by range (at);
alter table trace_steps add primary key (provider_id, step_id, at);
create index trace_steps_trace on trace_steps (trace_id);
do $$ begin
  execute format('alter table trace_steps attach partition trace_steps_before for values from (minvalue) to (%L)',
    date_trunc('day', now() at time zone 'utc') at time zone 'utc' + interval '2 days');
end $$;
-- A step whose day is missing is not lost.
create table trace_steps_rest partition of trace_steps default;

-- What retention looks for.
create index jobs_end on jobs (end_time);
create index notifications_created on notifications (created_at);
create index issues_resolved on issues (resolved_at) where resolved_at is not null;
create index shifts_gone on shifts (gone_at) where gone_at is not null;
