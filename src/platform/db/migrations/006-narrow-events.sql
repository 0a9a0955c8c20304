-- An acknowledgement waits for its row and for an entry in each index: what is not needed there is gone.
-- The payload held what the columns hold: nothing else of a webhook was ever stored.
alter table events drop column payload;
-- The shift comes first, so that this index finds a shift's events too.
alter table events drop constraint events_provider_id_event_shift_id_trace_id_key;
drop index events_shift;
alter table events add constraint events_once unique (provider_id, shift_id, event, trace_id);
-- Most events are processed, and nobody looks for those by their status.
drop index events_status;
create index events_status on events (status, event_id) where status <> 'processed';
-- Rows lie in the order of their coming: their times need a few bytes for many pages.
drop index events_received;
create index events_received on events using brin (received_at);
