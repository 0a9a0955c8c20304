-- works with: 013
-- An organisation that leaves: what happens to its future bookings, since when, and when its deletion was requested.
alter table integrations
  add column offboarding text check (offboarding in ('unassign', 'keep')),
  add column offboarding_since timestamptz,
  add column deletion_requested_at timestamptz;
