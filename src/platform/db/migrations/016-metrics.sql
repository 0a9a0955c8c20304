-- works with: 013
-- What metrics read costs the same, however much has ended.
create index bookings_pending on bookings (provider_id, created_at) where status = 'pending';
create index issues_unresolved on issues (code) where resolved_at is null;
