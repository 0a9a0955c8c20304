-- What all processes did in each minute, for the operations API's statistics: each process adds what it counted, every few seconds.
create table figures (
  minute timestamptz not null,
  name text not null,
  -- Empty where no provider is concerned. No reference: a figure is never worth failing a write for.
  provider_id text not null default '',
  value bigint not null,
  primary key (minute, name, provider_id)
);
