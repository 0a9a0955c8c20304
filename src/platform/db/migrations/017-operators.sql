-- works with: 013
-- People and programs that use the operations API. A revoked one stays, because the audit log names it.
create table operators (
  operator_id uuid primary key,
  name text not null,
  role text not null check (role in ('viewer', 'operator', 'people', 'admin')),
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create unique index operators_name on operators (name) where revoked_at is null;

-- Stored as SHA-256. During a rotation two are valid: the older one until `valid_until`.
create table operator_tokens (
  token_hash text primary key,
  operator_id uuid not null references operators,
  created_at timestamptz not null default now(),
  valid_until timestamptz
);
create index operator_tokens_operator on operator_tokens (operator_id);
