-- People and programs that use the operations API, and what they did. A revoked one stays, because the audit log names it.

create table operators (
  operator_id uuid primary key,
  name text not null,
  role text not null check (role in ('viewer', 'operator', 'people', 'admin')),
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create unique index operators_name on operators (name) where revoked_at is null;

-- Stored as SHA-256. Two are valid during a rotation: the one that was replaced, and the new one. One that has expired stays until the next
-- rotation, so that its holder learns why it is refused.
create table operator_tokens (
  token_hash text primary key,
  operator_id uuid not null references operators,
  created_at timestamptz not null default now(),
  valid_until timestamptz not null,
  -- By a rotation.
  replaced_at timestamptz
);
create index operator_tokens_operator on operator_tokens (operator_id);

-- Who is signed in to the console. A session is stored as SHA-256, and ends with the token that it was opened with.
create table console_sessions (
  session_hash text primary key,
  -- Null: OPERATIONS_TOKEN.
  token_hash text references operator_tokens on delete cascade,
  created_at timestamptz not null,
  -- To the minute.
  used_at timestamptz not null
);
create index console_sessions_token on console_sessions (token_hash);

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

-- Keys that the platform made itself, sealed under SECRET_KEY.
create table sealed_keys (name text primary key, sealed text not null);
