-- works with: 013
-- What operators changed and revealed, written in the transaction of the change. The platform only inserts and reads here: a role with
-- no other right on this table is enough.
create table audit (
  audit_id uuid primary key,
  at timestamptz not null,
  -- Null: the first admin, who has OPERATIONS_TOKEN. No reference, so that the log does not depend on another table.
  operator_id uuid,
  operator_name text not null,
  address text not null,
  operation text not null,
  -- Ids by name.
  subjects jsonb not null,
  -- FieldChange[] of the operations API. No personal data, no secrets.
  changes jsonb not null
);
create index audit_at on audit (at);
create index audit_operator on audit (operator_name, audit_id);
create index audit_subjects on audit using gin (jsonb_path_query_array(subjects, '$.*'));
