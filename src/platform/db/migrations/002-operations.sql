-- An erased person's row stays, anonymous, because bookings point to it.
alter table candidates add column erased_at timestamptz;

-- Who looked at what is masked, and why.
create table reveals (
  reveal_id uuid primary key,
  candidate_id uuid not null references candidates,
  reason text not null,
  revealed_at timestamptz not null default now()
);

-- What a provider really uses of the contract: `shift` counts the shifts read, every other row an optional field or a warning.
create table field_uses (
  provider_id uuid not null references integrations,
  field text not null,
  count bigint not null default 0,
  primary key (provider_id, field)
);

-- A change of times or positions that the provider was asked for.
create table shift_changes (
  change_id uuid primary key,
  job_id uuid not null references jobs,
  start_time timestamptz not null,
  end_time timestamptz not null,
  positions integer not null,
  status text not null check (status in ('pending', 'confirmed', 'refused')),
  reason text,
  trace_id text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index shift_changes_job on shift_changes (job_id);

-- How a notification left the house; null: it is only shown in the console.
alter table notifications add column channel text;
alter table notifications add column delivered_at timestamptz;
alter table notifications add column delivery_error text;

-- The reconciliation asks for future shifts by time.
create index jobs_future on jobs (start_time) where status in ('blocked_mapping', 'open', 'filled');
create index events_received on events (received_at);
create index issues_provider on issues (provider_id) where resolved_at is null;

-- Whoever replays an event wants it processed: it is no echo any more.
alter table events add column replayed_at timestamptz;

-- When the hourly reconciliation last asked for the shift.
alter table jobs add column reconciled_at timestamptz;

-- What GET /operations/v1/stream tells: ids and states, heard by every process when the transaction commits. Arguments: the kind
-- of news, then pairs of a name in the message and a column. Events are told of when they are dispatched and when they end:
-- their INSERT, which an acknowledgement waits for, has no trigger.
create function tell_news() returns trigger language plpgsql as $$
declare
  seen jsonb := to_jsonb(new);
  news jsonb := jsonb_build_object('type', tg_argv[0]);
begin
  for n in 1 .. tg_nargs - 2 by 2 loop
    news := news || jsonb_build_object(tg_argv[n], seen -> tg_argv[n + 1]);
  end loop;
  perform pg_notify('shiftpact_signals', 'news ' || news::text);
  return null;
end $$;

create trigger tell_of_new_job after insert on jobs for each row
  execute function tell_news('job', 'jobId', 'job_id', 'providerId', 'provider_id', 'shiftId', 'shift_id', 'status', 'status');
create trigger tell_of_job after update on jobs for each row
  when ((old.status, old.overfilled, old.start_time, old.end_time, old.positions, old.outlet_id, old.role_id) is distinct from
    (new.status, new.overfilled, new.start_time, new.end_time, new.positions, new.outlet_id, new.role_id))
  execute function tell_news('job', 'jobId', 'job_id', 'providerId', 'provider_id', 'shiftId', 'shift_id', 'status', 'status');
create trigger tell_of_booking after insert or update of status on bookings for each row
  execute function tell_news('booking', 'bookingId', 'booking_id', 'jobId', 'job_id', 'candidateId', 'candidate_id', 'status', 'status');
create trigger tell_of_event after update of status, attempts, dispatched_at on events for each row
  when (new.event <> 'shift.reconcile' or new.status <> 'queued')
  execute function tell_news('event', 'eventId', 'event_id', 'providerId', 'provider_id', 'shiftId', 'shift_id', 'status', 'status');
create trigger tell_of_issue after insert or update on issues for each row
  execute function tell_news('issue', 'issueId', 'issue_id', 'providerId', 'provider_id', 'code', 'code', 'resolvedAt', 'resolved_at');
create trigger tell_of_notification after insert or update of delivered_at, delivery_error on notifications for each row
  execute function tell_news('notification', 'notificationId', 'notification_id', 'jobId', 'job_id', 'candidateId', 'candidate_id',
    'kind', 'kind', 'deliveredAt', 'delivered_at');
