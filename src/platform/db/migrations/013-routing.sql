-- How the routing is known. While it is `pending`, `routing` is only what a version before this calls by.
alter table integrations
  add column routing_source text not null default 'given' check (routing_source in ('given', 'detected', 'pending')),
  -- The calls of the last detection, if it found no routing.
  add column routing_attempts jsonb not null default '[]';
