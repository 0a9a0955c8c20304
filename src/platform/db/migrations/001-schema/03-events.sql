-- Webhooks. An event stays in `events` while it waits, and for some days after its end, because providers repeat webhooks for as long. Then
-- it moves to `event_log`.

-- No reference to integrations, and few indexes: an acknowledgement waits for the row and for an entry in each index. The primary key
-- recognises a repetition; the shift comes early in it, so that it finds a shift's events too.
create table events (
  event_id uuid not null,
  provider_id uuid not null,
  event text not null,
  shift_id text not null,
  trace_id text not null,
  status text not null default 'queued'
    check (status in ('queued', 'processed', 'ignored', 'skipped_echo', 'failed', 'dead')),
  attempts integer not null default 0,
  verdict jsonb,
  -- Whether a reading has covered it while it waits: a later one settles it.
  is_read boolean not null default false,
  received_at timestamptz not null default now(),
  processed_at timestamptz,
  -- An operator who replays an event wants it processed: it is no longer an echo.
  replayed_at timestamptz,
  -- Of the span in which the webhook was stored (W3C trace context), while the platform traces: its run continues that trace.
  traceparent text,
  -- A UUID is the same in either case, and is kept in lower case: how the provider spells the shift's, where it does otherwise.
  spelling text,
  primary key (provider_id, shift_id, event, trace_id)
);
create index events_id on events (event_id);
create index events_waiting on events (provider_id, shift_id) where status in ('queued', 'dead');
-- Most events are processed, and no list asks for those by their status.
create index events_status on events (status, event_id) where status <> 'processed';
create index events_trace on events (trace_id);
-- Rows lie in the order in which they came: their times need a few bytes for many pages.
create index events_received on events using brin (received_at);

-- By day: an old day is dropped as a whole. Upkeep makes the days, and drops them.
create table event_log (
  event_id uuid not null,
  provider_id uuid not null,
  event text not null,
  shift_id text not null,
  trace_id text not null,
  -- EventStatus of the operations API.
  status text not null default 'queued',
  attempts integer not null default 0,
  verdict jsonb,
  received_at timestamptz not null default now(),
  processed_at timestamptz,
  replayed_at timestamptz,
  primary key (provider_id, event_id, received_at)
) partition by range (received_at);
create index event_log_id on event_log (event_id);
create index event_log_shift on event_log (shift_id);
create index event_log_trace on event_log (trace_id);
create index event_log_status on event_log (status, event_id) where status <> 'processed';

create view all_events as
  select event_id, provider_id, event, shift_id, trace_id, status, attempts, verdict, received_at, processed_at, replayed_at from events
  union all
  select event_id, provider_id, event, shift_id, trace_id, status, attempts, verdict, received_at, processed_at, replayed_at from event_log;

-- As all_events, for one shift of any provider. The primary key of `events` begins with the provider; an index of its own on the shift
-- would cost each webhook as much as all the others.
create view events_of_shifts as
  select event_id, provider_id, event, shift_id, trace_id, status, attempts, verdict, received_at, processed_at, replayed_at from events
    where provider_id = any (array(select provider_id from integrations))
  union all
  select event_id, provider_id, event, shift_id, trace_id, status, attempts, verdict, received_at, processed_at, replayed_at from event_log;
