-- One reconciler per shift: what is due is a row of `work`, what is known of a shift at its provider a row of `shifts`. Every table of an
-- organisation leads its primary key with provider_id, and no table has a trigger: a distributed PostgreSQL can place them by organisation.

drop trigger tell_of_new_job on jobs;
drop trigger tell_of_job on jobs;
drop trigger tell_of_booking on bookings;
drop trigger tell_of_event on events;
drop trigger tell_of_issue on issues;
drop trigger tell_of_notification on notifications;
drop function tell_news();

-- What is due, at most one row for each shift, person and recipient. `due_at` is also the end of a claim's lease: a run that dies is
-- due again by itself. `revision` grows with each hint, so that a run notices what came while it was under way.
create table work (
  provider_id uuid not null,
  kind text not null check (kind in ('shift', 'person', 'mail', 'check', 'probe')),
  key text not null,
  -- 0: an operator or a candidate waits; 1: an event; 2: in the background.
  priority smallint not null check (priority between 0 and 2),
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
create index work_due on work (provider_id, priority, due_at) where kind <> 'mail';
create index work_mail on work (priority, due_at) where kind = 'mail';

-- What is known of a shift at its provider.
create table shifts (
  provider_id uuid not null,
  shift_id text not null,
  -- How the provider spells the id, where it is a UUID and not in lower case.
  spelling text,
  read_at timestamptz,
  -- When to read it again.
  next_read_at timestamptz,
  -- Readings in a row that contradicted the hint, or did not find the shift.
  rechecks smallint not null default 0,
  absences smallint not null default 0,
  absent_since timestamptz,
  gone_at timestamptz,
  primary key (provider_id, shift_id)
);
-- Few shifts are missing at a time: how many says whether the provider has lost its data.
create index shifts_absent on shifts (provider_id, absent_since) where absent_since is not null;

insert into shifts (provider_id, shift_id, gone_at)
  select provider_id, shift_id, deleted_at from tombstones;
insert into shifts (provider_id, shift_id, spelling)
  select provider_id, shift_id, spelling from shift_spellings
  on conflict (provider_id, shift_id) do update set spelling = excluded.spelling;
insert into shifts (provider_id, shift_id, next_read_at)
  select provider_id, shift_id, now() from jobs where status in ('blocked_mapping', 'open', 'filled')
  on conflict (provider_id, shift_id) do update set next_read_at = now(), gone_at = null;

alter table integrations
  add column paused_since timestamptz,
  add column health text not null default 'reachable'
    check (health in ('reachable', 'unreachable', 'rate_limited', 'implausible')),
  add column health_since timestamptz not null default now(),
  add column health_until timestamptz,
  -- Many shifts are gone at once: no more of them are taken as deleted.
  add column held_since timestamptz,
  -- An operator has confirmed that they are gone.
  add column absence_accepted_until timestamptz;

alter table platform_tokens drop constraint platform_tokens_pkey, add primary key (provider_id, token_hash);
create index platform_tokens_hash on platform_tokens (token_hash);
drop index platform_tokens_provider;

-- Events: an inbox log. Which are waiting is asked for by shift; the key of a repetition is the primary key.
delete from events where event = 'shift.reconcile';
drop index events_waiting;
drop index events_status;
alter table events drop constraint events_pkey, drop constraint events_once;
alter table events add primary key (provider_id, shift_id, event, trace_id);
create index events_id on events (event_id);
create index events_waiting on events (provider_id, shift_id) where status in ('queued', 'dead');
create index events_status on events (status, event_id) where status <> 'processed';
alter table events add column outcome jsonb;
update events set outcome = case
  -- No reading has covered what waits.
  when verdict is null or status = 'queued' then null
  when verdict like 'job created: %' then jsonb_build_object('code', 'job_created', 'params', jsonb_build_object('jobStatus', substr(verdict, 14)))
  when verdict like 'job updated: %' then jsonb_build_object('code', 'job_updated', 'params', jsonb_build_object('jobStatus', substr(verdict, 14)))
  when verdict = 'job cancelled' then '{"code": "job_cancelled", "params": {}}'
  when verdict = 'nothing changed: the job is cancelled' then '{"code": "already_cancelled", "params": {}}'
  when verdict = 'nothing changed: the shift is over' then '{"code": "shift_over", "params": {}}'
  when verdict like 'the shift is gone%' then '{"code": "no_job", "params": {}}'
  when verdict like 'The shift cannot be a job: %' then jsonb_build_object('code', 'shift_unusable', 'params', jsonb_build_object(
    'fault', split_part(substr(verdict, 28), ' at ', 1), 'pointer', rtrim(split_part(verdict, ' at ', 2), '.')))
  when verdict like 'GET of shift % was answered with status ___.' then jsonb_build_object('code', 'provider_refused', 'params',
    jsonb_build_object('status', substring(verdict from '(\d+)\.$')::integer))
  when status = 'skipped_echo' then '{"code": "echo_of_delete", "params": {}}'
  when status = 'dead' then jsonb_build_object('code', 'provider_unavailable', 'params', jsonb_build_object('attempts', attempts))
  when status = 'ignored' then '{"code": "delete_not_confirmed", "params": {}}'
  when verdict like 'read together with %' then jsonb_build_object('code', 'covered_by', 'params',
    jsonb_build_object('event', split_part(substr(verdict, 20), ' ', 1), 'traceId', split_part(verdict, ' of trace ', 2)))
  else '{"code": "migrated", "params": {}}' end;
alter table events drop column verdict, drop column absences, drop column dispatched_at, drop column revived_at;
alter table events rename column outcome to verdict;
-- A shift whose event was given up may have no job: it is read again too.
insert into shifts (provider_id, shift_id, next_read_at)
  select distinct provider_id, shift_id, now() from events where status in ('queued', 'dead')
  on conflict (provider_id, shift_id) do update set next_read_at = now();

alter table notifications drop constraint notifications_job_id_fkey;
alter table shift_changes drop constraint shift_changes_job_id_fkey;
alter table bookings drop constraint bookings_job_id_fkey;
alter table jobs drop constraint jobs_pkey, add primary key (provider_id, job_id);
create index jobs_id on jobs (job_id);
alter table jobs
  add column cancelled_by text check (cancelled_by in ('employer', 'provider', 'absence')),
  add column own_people jsonb not null default '[]',
  add column own_people_count integer not null default 0,
  -- Grows when a seat becomes free or the times change: then everyone available is offered the job anew.
  add column offer_round integer not null default 0,
  drop column reconciled_at,
  drop column version;
update jobs set cancelled_by = case when exists (select from pending_operations as own
    where own.provider_id = jobs.provider_id and own.shift_id = jobs.shift_id) then 'employer' else 'absence' end
  where status = 'cancelled';
drop index jobs_future;
create index jobs_future on jobs (provider_id, start_time) where status in ('blocked_mapping', 'open', 'filled');
create index jobs_competence on jobs (competence_id) where status = 'open';

alter table bookings add column provider_id uuid;
update bookings set provider_id = jobs.provider_id from jobs where jobs.job_id = bookings.job_id;
alter table bookings alter column provider_id set not null,
  drop constraint bookings_pkey, add primary key (provider_id, booking_id),
  add foreign key (provider_id, job_id) references jobs (provider_id, job_id);
create index bookings_id on bookings (booking_id);
drop index bookings_live;
drop index bookings_job;
create unique index bookings_live on bookings (provider_id, job_id, candidate_id) where status in ('pending', 'confirmed');
create index bookings_job on bookings (provider_id, job_id);
-- Whether the person is on the provider's shift because of us. `maybe`: a call was sent, and its outcome is not known.
alter table bookings
  add column at_provider text not null default 'no' check (at_provider in ('no', 'maybe', 'yes')),
  add column doubt_since timestamptz,
  -- When the first assign was sent.
  add column sent_at timestamptz,
  -- The provider's answer to a call that repeated one in doubt: the next reading decides.
  add column rejection jsonb,
  -- A reading has listed the person.
  add column listed boolean not null default false,
  -- Readings in a row that did not list the person.
  add column missing smallint not null default 0,
  add column reassigned boolean not null default false,
  add column looked_up_again boolean not null default false,
  add column reason_params jsonb not null default '{}';
update bookings set at_provider = case
    when status = 'confirmed' then 'yes'
    when status = 'pending' or recalled_at is not null then 'maybe'
    else 'no' end,
  doubt_since = case when status = 'pending' or recalled_at is not null then updated_at end,
  sent_at = case when status in ('pending', 'confirmed') or recalled_at is not null then created_at end;
update bookings set provider_candidate_id = known.provider_candidate_id from provider_candidates as known
  where bookings.at_provider = 'maybe' and bookings.provider_candidate_id is null
    and known.provider_id = bookings.provider_id and known.candidate_id = bookings.candidate_id;
-- Nobody can have been assigned whose id at the provider was never learnt.
update bookings set at_provider = 'no', doubt_since = null, sent_at = null
  where at_provider = 'maybe' and provider_candidate_id is null;
update bookings set reason_params = case when reason ~ '^status_[0-9]{3}$'
    then jsonb_build_object('status', substr(reason, 8)::integer) else jsonb_build_object('providerCode', reason) end,
  reason = 'assignment_refused'
  where status in ('released', 'failed') and reason not in ('withdrawn', 'shift_deleted', 'shift_cancelled', 'job_cancelled', 'shift_started',
    'shift_full', 'shift_not_found', 'candidate_not_found', 'candidate_ambiguous', 'candidate_erased', 'provider_unavailable');
alter table bookings drop column recalled_at;

alter table pending_operations drop constraint pending_operations_pkey, add primary key (provider_id, operation_id);
alter table pending_operations add column sent_at timestamptz, add column confirmed_at timestamptz;
update pending_operations set sent_at = created_at,
  confirmed_at = case when exists (select from jobs where jobs.provider_id = pending_operations.provider_id
    and jobs.shift_id = pending_operations.shift_id and jobs.status = 'cancelled') then created_at end;

alter table shift_changes add column provider_id uuid;
update shift_changes set provider_id = jobs.provider_id from jobs where jobs.job_id = shift_changes.job_id;
alter table shift_changes alter column provider_id set not null,
  drop constraint shift_changes_pkey, add primary key (provider_id, change_id),
  add foreign key (provider_id, job_id) references jobs (provider_id, job_id);
create index shift_changes_id on shift_changes (change_id);
drop index shift_changes_job;
create index shift_changes_job on shift_changes (provider_id, job_id);
-- What was asked for: what is not named is as the job has it when the change is sent.
alter table shift_changes
  add column named jsonb not null default '["startTime", "endTime", "positions"]',
  add column sent_at timestamptz,
  add column reason_params jsonb not null default '{}';
update shift_changes set reason = case when reason like 'status %' then 'provider_refused'
    when reason like '%cancelled%' then 'job_cancelled' when reason like '%gone%' then 'shift_gone'
    when reason like '%try failed%' then 'provider_unavailable' when reason like '%end before%' then 'end_not_after_start'
    else 'provider_refused' end
  where status = 'refused';
update shift_changes set reason = null, sent_at = created_at where status = 'pending';

-- A person at a provider who is being looked up or created has no id there yet.
alter table provider_candidates
  alter column provider_candidate_id drop not null,
  add column create_sent_at timestamptz,
  add column idempotency_key uuid,
  add column trouble jsonb;
create index provider_candidates_known on provider_candidates (provider_id, provider_candidate_id);

alter table notifications add column provider_id uuid;
update notifications set provider_id = jobs.provider_id from jobs where jobs.job_id = notifications.job_id;
alter table notifications alter column provider_id set not null,
  drop constraint notifications_pkey, add primary key (provider_id, notification_id),
  drop constraint notifications_candidate_id_job_id_kind_change_key_key,
  add unique (provider_id, job_id, candidate_id, kind, change_key),
  add foreign key (provider_id, job_id) references jobs (provider_id, job_id);
drop index notifications_job;
create index notifications_id on notifications (notification_id);
create index notifications_candidate on notifications (candidate_id);
create index notifications_undelivered on notifications (provider_id, candidate_id, notification_id)
  where channel is not null and delivered_at is null and withheld_at is null;
alter table notifications rename column withheld_at to withdrawn_at;
update notifications set change_key = 'offer-0' where kind = 'job_offered';
alter table notifications add column delivery_params jsonb not null default '{}';
update notifications set delivery_error = case
    when withdrawn_at is not null then 'offer_withdrawn'
    when delivery_error like '%address cannot%' then 'address_unusable'
    -- What was given up stays so: it may be weeks old.
    when delivery_error not like 'will be tried again%' then 'gave_up'
    when delivery_error like '%TLS%' then 'tls_unavailable'
    when delivery_error like '%answered%' then 'mail_server_refused'
    else 'mail_server_unreachable' end
  where delivery_error is not null;
-- An offer holds while its job is open.
update notifications set withdrawn_at = now() from jobs
  where jobs.provider_id = notifications.provider_id and jobs.job_id = notifications.job_id
    and kind = 'job_offered' and withdrawn_at is null and jobs.status <> 'open';

alter table trace_steps alter column step_id drop identity;
alter table trace_steps alter column step_id type uuid using lpad(to_hex(step_id), 32, '0')::uuid;
delete from trace_steps where provider_id is null;
alter table trace_steps alter column provider_id set not null,
  drop constraint trace_steps_pkey, add primary key (provider_id, step_id);
create index trace_steps_at on trace_steps using brin (at);
alter table trace_steps add column code text, add column params jsonb not null default '{}';
update trace_steps set
  code = case
    when verdict like 'shift read (variant %' then 'shift_read'
    when verdict like 'the provider has no such shift%' then 'shift_absent'
    when verdict like 'will be tried again%' then 'will_retry'
    when verdict like 'job created: %' then 'job_created'
    when verdict like 'job updated: %' then 'job_updated'
    when verdict = 'job cancelled' then 'job_cancelled'
    when verdict like 'job expired%' then 'job_expired'
    when verdict like 'nothing changed: the job%' then 'already_cancelled'
    when verdict like 'read together with %' then 'covered_by'
    when verdict = 'skipped: echo of our DELETE' then 'echo_of_delete'
    when verdict like '% free with the competence%' then 'candidates_matched'
    when step = 'notification' then 'notified'
    when verdict = 'seat reserved' then 'seat_reserved'
    when verdict = 'withdrawal requested' then 'withdrawal_requested'
    when step = 'booking' and verdict like 'failed%' then 'booking_failed'
    when step = 'candidate' and verdict like 'found%' then 'candidate_found'
    when step = 'candidate' and verdict like 'created%' then 'candidate_created'
    when step = 'assign' and verdict like 'provider confirmed%' then 'assigned'
    when step = 'unassign' and verdict like '%provider confirmed%' then 'unassigned'
    when step = 'cancel' and verdict = 'cancellation requested' then 'cancellation_requested'
    when step = 'cancel' and verdict like 'provider confirmed%' then 'cancellation_confirmed'
    when step = 'cancel' and verdict like 'provider kept%' then 'cancellation_refused'
    when verdict = 'change requested' then 'change_requested'
    when step = 'change' and verdict like 'provider confirmed%' then 'change_confirmed'
    when step = 'change' and verdict like 'the shift was not changed%' then 'change_refused'
    when verdict like '% queued again by %' then 'requeued'
    when step = 'registry' then 'registry_imported'
    when verdict like 'provider refused%' or verdict like 'GET of shift % was answered with status %' then 'provider_refused'
    when verdict like 'The shift cannot be a job: %' then 'shift_unusable'
    else 'migrated' end,
  params = case
    when verdict like 'job created: %' or verdict like 'job updated: %' then jsonb_build_object('jobStatus', substr(verdict, 14))
    when verdict like 'shift read (variant %' then jsonb_build_object('variant', substr(verdict, 21, 1))
    when verdict = 'change requested' then detail
    else '{}' end;
alter table trace_steps drop column verdict, drop column detail;
alter table trace_steps alter column code set not null;

delete from issues where provider_id is null;
drop index issues_open;
drop index issues_provider;
alter table issues add column about jsonb, add column params jsonb not null default '{}';
update issues set about = case
  when subject ~ '^shift .+, candidate ' then jsonb_build_object('kind', 'booking',
    'shiftId', substring(subject from '^shift (.+), candidate '), 'candidateId', substring(subject from ', candidate (.+)$'))
  when subject like 'shift %' then jsonb_build_object('kind', 'shift', 'shiftId', substr(subject, 7))
  when subject like 'outlet %' then jsonb_build_object('kind', 'outlet', 'outletId', substr(subject, 8))
  when subject like 'role %' then jsonb_build_object('kind', 'role', 'roleId', substr(subject, 6))
  when subject like 'delivery of notifications to candidate %' then
    jsonb_build_object('kind', 'mail_recipient', 'candidateId', substring(subject from 'candidate (.+)$'))
  when subject like 'delivery of notifications%' then '{"kind": "mail_server"}'
  when code = 'provider_check' then jsonb_build_object('kind', 'operation',
    'operation', split_part(subject, ': ', 1), 'finding', split_part(subject, ': ', 2))
  else '{"kind": "integration"}' end;
alter table issues drop constraint issues_pkey, add primary key (provider_id, issue_id),
  alter column about set not null, drop column subject, drop column detail, drop column remedy;
alter table issues rename column about to subject;
create index issues_id on issues (issue_id);
create unique index issues_open on issues (provider_id, code, subject) where resolved_at is null;
create index issues_shift on issues (provider_id, (subject ->> 'shiftId')) where resolved_at is null;

-- '' is a figure of the platform as a whole.
alter table figures drop constraint figures_pkey, add primary key (provider_id, minute, name);
create index figures_minute on figures (minute);

drop table tombstones;
drop table shift_spellings;

-- Everything that waited, whatever waited for it.
insert into work (provider_id, kind, key, priority)
  select distinct provider_id, 'shift', shift_id, 1 from events where status in ('queued', 'dead');
insert into work (provider_id, kind, key, priority)
  select distinct jobs.provider_id, 'shift', jobs.shift_id, 0 from jobs
    left join bookings on bookings.provider_id = jobs.provider_id and bookings.job_id = jobs.job_id
      and (bookings.status = 'pending' or bookings.at_provider = 'maybe' or bookings.withdrawn_at is not null and bookings.status = 'confirmed')
    left join shift_changes on shift_changes.provider_id = jobs.provider_id and shift_changes.job_id = jobs.job_id
      and shift_changes.status = 'pending'
    left join pending_operations on pending_operations.provider_id = jobs.provider_id
      and pending_operations.shift_id = jobs.shift_id and pending_operations.confirmed_at is null
  where bookings.booking_id is not null or shift_changes.change_id is not null or pending_operations.operation_id is not null
  on conflict (provider_id, kind, key) do update set priority = 0;
insert into work (provider_id, kind, key, priority, due_at)
  select provider_id, 'shift', shift_id, 2, now() + random() * interval '1 hour' from jobs
  where status in ('blocked_mapping', 'open', 'filled')
  on conflict do nothing;
insert into work (provider_id, kind, key, priority)
  select distinct provider_id, 'mail', candidate_id::text, 1 from notifications
  where channel is not null and delivered_at is null and withdrawn_at is null
    and (delivery_error is null or delivery_error not in ('address_unusable', 'gave_up'))
  on conflict do nothing;

drop schema if exists pgboss cascade;
