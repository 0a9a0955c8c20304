-- What is known of a shift at its provider.

create table shifts (
  provider_id uuid not null,
  shift_id text not null,
  -- That of its first event.
  spelling text,
  -- When to read it again.
  next_read_at timestamptz,
  -- What is believed about it, and what may still be shown by a replica that lags; times in milliseconds before `believed_at`.
  belief jsonb not null default '{}',
  believed_at timestamptz,
  -- Since when readings have not found it, or found it cancelled.
  missing_since timestamptz,
  primary key (provider_id, shift_id)
);
-- Few shifts are missing at a time: how many says whether the provider has lost its data. It is also what retention removes.
create index shifts_missing on shifts (provider_id, missing_since) where missing_since is not null;

-- The platform's DELETE of a shift: the webhook that it causes is an echo.
create table pending_operations (
  operation_id uuid not null,
  provider_id uuid not null references integrations,
  shift_id text not null,
  operation text not null check (operation in ('delete')),
  trace_id text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  sent_at timestamptz,
  confirmed_at timestamptz,
  consumed_at timestamptz,
  -- Which event was accepted as the echo: the clocks of two processes cannot be compared.
  consumed_by uuid,
  primary key (provider_id, operation_id)
);
create index pending_operations_open on pending_operations (provider_id, shift_id, operation)
  where consumed_at is null;
