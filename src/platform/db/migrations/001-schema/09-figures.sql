-- What all processes did. The provider_id is zero where no provider is concerned, and no reference: a figure is never worth failing a write for.

-- In each minute, for the operations API's statistics: each process adds what it counted, every few seconds.
create table figures (
  provider_id uuid not null,
  minute timestamptz not null,
  name text not null,
  value bigint not null,
  primary key (provider_id, minute, name)
);
create index figures_minute on figures (minute);

-- Sums of `figures` by the hour, kept for as many weeks as a weekly rhythm takes: the webhooks of each provider, and the rounds of the
-- upkeep (without a provider), which show in which hours the platform ran.
create table hourly_figures (
  provider_id uuid not null default '00000000-0000-0000-0000-000000000000',
  name text not null,
  hour timestamptz not null,
  value bigint not null,
  primary key (provider_id, name, hour)
);
create index hourly_figures_hour on hourly_figures (hour);
