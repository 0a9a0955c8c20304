-- Since when the provider is to take the candidate of a failed booking off its shift again; until that has ended nobody is erased.
alter table bookings add column recalled_at timestamptz;

-- Which event was taken for the echo: the times of two processes tell nothing of each other.
alter table pending_operations add column consumed_by uuid;
update pending_operations set consumed_by = (
  select event_id from events
  where events.provider_id = pending_operations.provider_id and events.shift_id = pending_operations.shift_id
    and events.event = 'shift.delete' and events.status = 'skipped_echo'
  order by abs(extract(epoch from events.processed_at - pending_operations.consumed_at)) limit 1)
where consumed_at is not null;

-- When an offer was not sent because it did not stand any more; should the job be open again, it is told anew.
alter table notifications add column withheld_at timestamptz;
