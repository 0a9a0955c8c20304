-- Candidates. Personal numbers are sealed, and found by a keyed hash (HMAC-SHA-256).

create table candidates (
  candidate_id uuid primary key,
  personal_number_sealed text,
  personal_number_hash text,
  first_name text not null,
  last_name text not null,
  email text not null,
  phone text not null,
  hire text,
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

-- A person at a provider. One who is being looked up or created has no id there yet.
create table provider_candidates (
  provider_id uuid not null references integrations,
  candidate_id uuid not null references candidates on delete cascade,
  provider_candidate_id text,
  create_sent_at timestamptz,
  idempotency_key uuid,
  trouble jsonb,
  created_at timestamptz not null default now(),
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
