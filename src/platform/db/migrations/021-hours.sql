-- works with: 013
-- Sums of `figures` by the hour, kept for as many weeks as a weekly rhythm takes: the webhooks of each provider, and the rounds of the
-- upkeep (with an empty provider_id), which show in which hours the platform ran.
create table hourly_figures (
  provider_id text not null default '',
  name text not null,
  hour timestamptz not null,
  value bigint not null,
  primary key (provider_id, name, hour)
);
create index hourly_figures_hour on hourly_figures (hour);
