-- works with: 013
-- Which routes the provider answers as if it had none, and how often each has worked again. A gateway without a route does not refuse a person.
alter table integrations add column routes jsonb not null default '{}';
alter table bookings add column route_doubt integer;
