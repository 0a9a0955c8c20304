-- Organisations and what the platform knows of their lists. Names are the contract's. The platform's own ids are UUIDv7, made in the
-- application; ids of a provider are text, because variant B of the shift has plain strings (contract 2.2). Every table of an organisation
-- leads its primary key with provider_id, and no table has a trigger: a distributed PostgreSQL can place them by organisation.

create table integrations (
  provider_id uuid primary key,
  kind text not null,
  -- The kind is a part of the address of the webhooks: until then, the one before is answered too.
  former_kind text,
  former_kind_until timestamptz,
  name text not null,
  base_url text not null,
  -- Not to be called by while routing_source is `pending`.
  routing text not null default 'path' check (routing in ('path', 'header')),
  -- How the routing is known.
  routing_source text not null default 'given' check (routing_source in ('given', 'detected', 'pending')),
  -- The calls of the last detection, if it found no routing.
  routing_attempts jsonb not null default '[]',
  state text not null default 'draft' check (state in ('draft', 'active', 'suspended')),
  time_zone text not null default 'Europe/Stockholm',
  -- Of mails and pages for candidates who have none of their own; null: that of the installation.
  language text check (language in ('sv', 'en')),
  -- Whom a candidate may call when it is too late for the page.
  contact_phone text,
  checked_at timestamptz,
  provider_token text not null,
  dialect jsonb not null default '{}',
  -- Since when no condition holds, while none does.
  reachable_since timestamptz not null default now(),
  -- An operator has confirmed that the shifts of a mass disappearance are gone.
  absence_accepted_until timestamptz,
  -- Whether a list of the provider has shown a booked person: only then does a list without the person mean that the provider removed the person.
  lists_booked boolean not null default false,
  -- How often each route that was missing has worked again.
  route_recoveries jsonb not null default '{}',
  -- An organisation that leaves: what happens to its future bookings, since when, and when its deletion was requested.
  offboarding text check (offboarding in ('unassign', 'keep')),
  offboarding_since timestamptz,
  deletion_requested_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- What keeps an organisation from being served as usual: each condition of src/platform/integrations/conditions.ts, for as long as it holds.
create table conditions (
  provider_id uuid not null references integrations,
  code text not null,
  -- The operation whose route is missing; empty for the others.
  key text not null default '',
  since timestamptz not null,
  -- Of a silence that the provider has asked for, and of an outage that a process has found: the process renews it.
  until timestamptz,
  primary key (provider_id, code, key)
);

create table platform_tokens (
  provider_id uuid not null references integrations,
  token_hash text not null,
  created_at timestamptz not null default now(),
  valid_until timestamptz,
  primary key (provider_id, token_hash)
);
create index platform_tokens_hash on platform_tokens (token_hash);

create table workplaces (
  workplace_id uuid primary key,
  name text not null,
  address text,
  created_at timestamptz not null default now()
);

create table competences (
  competence_id uuid primary key,
  name text not null,
  created_at timestamptz not null default now()
);

-- For suggestions, where there is pg_trgm.
do $$ declare kind text; begin
  for kind in select format('%I.gin_trgm_ops', nspname) from pg_opclass join pg_namespace on pg_namespace.oid = opcnamespace
      where opcname = 'gin_trgm_ops' limit 1 loop
    execute 'create index workplaces_name on workplaces using gin (name ' || kind || ')';
    execute 'create index competences_name on competences using gin (name ' || kind || ')';
  end loop;
end $$;

create table outlets (
  provider_id uuid not null references integrations,
  outlet_id text not null,
  name text not null,
  address text,
  workplace_id uuid references workplaces,
  primary key (provider_id, outlet_id)
);
create index outlets_workplace on outlets (workplace_id);

create table roles (
  provider_id uuid not null references integrations,
  role_id text not null,
  name text not null,
  competence_id uuid references competences,
  primary key (provider_id, role_id)
);
create index roles_competence on roles (competence_id);
