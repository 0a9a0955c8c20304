-- works with: 013
-- The kind is a part of the address of the webhooks: until then, the one before is answered too.
alter table integrations add column former_kind text, add column former_kind_until timestamptz;
