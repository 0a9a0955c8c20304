-- works with: 013
-- Personal numbers are sealed, and found by a keyed hash (HMAC-SHA-256). `personal_number` stays for a process of the version before this:
-- it holds the number in clear while such a process is at work, and `sealed:` with the candidate's id afterwards.
alter table candidates
  add column personal_number_sealed text,
  add column personal_number_hash text;
create unique index candidates_number_hash on candidates (personal_number_hash);
-- Empty once every number is sealed.
create index candidates_clear_number on candidates (candidate_id) where personal_number ~ '^[0-9]';

-- Keys that the platform made itself, sealed under SECRET_KEY.
create table sealed_keys (name text primary key, sealed text not null);

-- The hashes of erased people's numbers: a registry import does not add them again.
create table erased_people (number_hash text primary key, erased_at timestamptz not null default now());

-- Whether the process needs no personal number in clear.
alter table processes add column seals_numbers boolean not null default false;
