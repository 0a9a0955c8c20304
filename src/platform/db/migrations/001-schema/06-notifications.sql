-- What candidates are notified of, and the mails that carry it.

create table notifications (
  notification_id uuid not null,
  provider_id uuid not null,
  candidate_id uuid not null references candidates,
  job_id uuid not null,
  -- NotificationKind of the operations API.
  kind text not null,
  change_key text not null,
  content jsonb not null,
  -- How it is delivered; null: it is only shown in the console.
  channel text,
  delivered_at timestamptz,
  -- DeliveryCode of the operations API.
  delivery_error text,
  delivery_params jsonb not null default '{}',
  -- For the company's own service: null, when it was written without one.
  webhook text check (webhook in ('waiting', 'sent', 'dropped')),
  -- When an offer ceased to hold. Should the job be open again, the candidate is notified anew.
  withdrawn_at timestamptz,
  -- How often a mail that was delivered was sent again: each time under a Message-ID of its own.
  resends integer not null default 0,
  -- The mail that a waiting offer is part of, fixed before the mail is sent: each attempt has the same Message-ID. Its own id: a mail of its own.
  digest_id uuid,
  -- The assignment in calendars that it is about; null of an offer.
  calendar_uid uuid,
  -- When its page was first opened, by a person or by a mail scanner.
  link_opened_at timestamptz,
  -- Part of the tokens of its links: another value ends them.
  link_salt integer not null default 0,
  trace_id text not null,
  created_at timestamptz not null default now(),
  primary key (provider_id, notification_id),
  unique (provider_id, job_id, candidate_id, kind, change_key),
  foreign key (provider_id, job_id) references jobs (provider_id, job_id)
);
-- Retention reads it too: the ids are in the order of their creation.
create index notifications_id on notifications (notification_id);
create index notifications_candidate on notifications (candidate_id);
create index notifications_undelivered on notifications (provider_id, candidate_id, notification_id)
  where channel is not null and delivered_at is null and withdrawn_at is null;
create index notifications_webhook on notifications (provider_id, notification_id) where webhook = 'waiting';

-- Candidates who have declined a shift: it is no longer offered to them.
create table declines (
  provider_id uuid not null,
  job_id uuid not null,
  candidate_id uuid not null references candidates,
  declined_at timestamptz not null,
  primary key (provider_id, job_id, candidate_id),
  foreign key (provider_id, job_id) references jobs (provider_id, job_id)
);
create index declines_candidate on declines (candidate_id);

-- Addresses of candidates from which a page was answered with "This is not me": no mail is sent there until an operator sends one again.
create table disputed_addresses (
  provider_id uuid not null,
  candidate_id uuid not null references candidates,
  address text not null,
  disputed_at timestamptz not null,
  primary key (provider_id, candidate_id)
);
create index disputed_addresses_candidate on disputed_addresses (candidate_id);

-- A person's links to all shifts at an organisation.
create table personal_links (
  provider_id uuid not null,
  candidate_id uuid not null references candidates,
  -- Part of their tokens: another value ends them. Without a row it is 0.
  salt integer not null,
  -- Since when the person wants no mail with offers of the organisation.
  unsubscribed_at timestamptz,
  primary key (provider_id, candidate_id)
);
create index personal_links_candidate on personal_links (candidate_id);

-- The offer mails of an organisation to a person in the last day.
create table offer_mails (
  provider_id uuid not null,
  candidate_id uuid not null references candidates,
  digest_id uuid not null,
  -- The address, without what does not distinguish mailboxes.
  mailbox text not null,
  at timestamptz not null,
  -- Unset until the mail server has accepted it.
  sent_at timestamptz,
  primary key (provider_id, candidate_id, digest_id)
);
create index offer_mails_candidate on offer_mails (candidate_id);
create index offer_mails_mailbox on offer_mails (provider_id, mailbox);
