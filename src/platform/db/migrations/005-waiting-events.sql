-- What waits, by organisation: the backlog of a suspended one must not be walked through in every round of the dispatcher.
drop index events_undispatched;
create index events_waiting on events (provider_id, event_id) where dispatched_at is null and status = 'queued';
