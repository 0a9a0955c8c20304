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
