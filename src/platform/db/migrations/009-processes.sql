-- The platform processes on this database, each of which says every few seconds that it is at work: they share the limits that hold for
-- all of them together. What a crash of the database loses of it is said again.
create unlogged table processes (
  process_id uuid primary key,
  seen_at timestamptz not null
);

-- By whom else somebody is known, and whom an erasure is about.
create index provider_candidates_candidate on provider_candidates (candidate_id);
