-- works with: 013
-- The primary key has the same columns.
drop index jobs_of_provider;

-- As all_events, for one shift of whichever provider. The primary key of `events` begins with the provider; an index of its own on the shift would cost
-- each webhook as much as all the others.
create view events_of_shifts as
  select event_id, provider_id, event, shift_id, trace_id, status, attempts, verdict, received_at, processed_at, replayed_at from events
    where provider_id = any (array(select provider_id from integrations))
  union all
  select event_id, provider_id, event, shift_id, trace_id, status, attempts, verdict, received_at, processed_at, replayed_at from event_log;
