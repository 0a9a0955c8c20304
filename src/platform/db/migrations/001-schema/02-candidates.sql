-- People. Common to all organisations are the identity (the hash of the personal number, and the number sealed), what the company itself asserts, and the
-- times of bookings. What an organisation's registry asserts is in `memberships`, and valid for its own shifts. Personal numbers are sealed, and found by a keyed hash (HMAC-SHA-256).

create table candidates (
  candidate_id uuid primary key,
  personal_number_sealed text,
  personal_number_hash text,
  first_name text not null,
  last_name text not null,
  email text not null,
  phone text not null,
  hire text,
  -- Null: that of the organisation.
  language text check (language in ('sv', 'en')),
  -- The company's own number, which keeps namesakes apart.
  employee_number text,
  -- Whether the person is valid for every organisation: an operator added the person, or released a membership. Otherwise the memberships say for which,
  -- and the name is that of one of them, for lists.
  is_shared boolean not null default true,
  -- Whether an operator has decided on the competences: then no registry asserts any.
  are_competences_decided boolean not null default false,
  -- The row of an erased person stays, anonymous, because bookings refer to it.
  erased_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index candidates_number_hash on candidates (personal_number_hash);

-- The hashes of erased people's numbers: a registry import does not add them again.
create table erased_people (number_hash text primary key, erased_at timestamptz not null default now());

create table candidate_competences (
  candidate_id uuid not null references candidates on delete cascade,
  competence_id uuid not null references competences,
  primary key (candidate_id, competence_id)
);
create index candidate_competences_competence on candidate_competences (competence_id);

-- What an organisation asserts about a person by its registry.
create table memberships (
  provider_id uuid not null references integrations,
  candidate_id uuid not null references candidates on delete cascade,
  first_name text not null,
  last_name text not null,
  email text not null,
  phone text not null,
  -- When an operator made what was asserted valid for every organisation.
  released_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (provider_id, candidate_id)
);
create index memberships_candidate on memberships (candidate_id);

create table membership_competences (
  provider_id uuid not null,
  candidate_id uuid not null,
  competence_id uuid not null references competences,
  primary key (provider_id, candidate_id, competence_id),
  foreign key (provider_id, candidate_id) references memberships on delete cascade
);
create index membership_competences_competence on membership_competences (competence_id, provider_id);
create index membership_competences_candidate on membership_competences (candidate_id);

-- A person at a provider. One who is being looked up or created has no id there yet.
create table provider_candidates (
  provider_id uuid not null references integrations,
  candidate_id uuid not null references candidates on delete cascade,
  provider_candidate_id text,
  -- Since when the id is known: it belongs to the candidate who had it first.
  known_at timestamptz,
  create_sent_at timestamptz,
  idempotency_key uuid,
  trouble jsonb,
  primary key (provider_id, candidate_id)
);
-- By which other providers a person is known, and whom an erasure is about.
create index provider_candidates_candidate on provider_candidates (candidate_id);
create index provider_candidates_known on provider_candidates (provider_id, provider_candidate_id);

-- Who unmasked personal data, and why.
create table reveals (
  reveal_id uuid primary key,
  candidate_id uuid not null references candidates,
  reason text not null,
  revealed_at timestamptz not null default now()
);
create index reveals_candidate on reveals (candidate_id);

-- The import of an organisation's registry that is running, or the last one.
create table registry_imports (
  provider_id uuid primary key references integrations,
  trace_id text not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  -- A problem of the catalogue.
  failure jsonb,
  entries integer not null default 0,
  expected integer,
  imported integer not null default 0,
  updated integer not null default 0,
  skipped integer not null default 0,
  invalid integer not null default 0,
  faults jsonb not null default '[]'
);
