-- works with: 013
-- The mail that a waiting offer is part of, fixed before the mail is sent: each attempt has the same Message-ID. Its own id: a mail of its own.
alter table notifications add column digest_id uuid;

-- The round that began when a confirmed booking of the job last ended: an offer of an earlier round is not restored, but made again.
alter table jobs add column renewed_round integer not null default 0;

-- The offer mails of a person in the last day, of all organisations together.
create table offer_mails (
  provider_id uuid not null,
  candidate_id uuid not null references candidates,
  digest_id uuid not null,
  at timestamptz not null,
  -- Unset until the mail server has accepted it.
  sent_at timestamptz,
  primary key (provider_id, candidate_id, digest_id)
);
create index offer_mails_candidate on offer_mails (candidate_id);
