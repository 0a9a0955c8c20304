-- works with: 013
-- Whether a list of the provider has shown a booked person: only then does a list without the person mean that the provider removed the person.
alter table integrations add column lists_booked boolean not null default false;
update integrations set lists_booked = true
  where exists (select from bookings where bookings.provider_id = integrations.provider_id and listed);
