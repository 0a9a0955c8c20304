-- A booking whose withdrawal waits for the provider: it holds its seat until then, and cannot be accepted again.
alter table bookings add column withdrawn_at timestamptz;
