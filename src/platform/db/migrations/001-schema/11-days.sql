-- Only the owner of a table may create or drop its partitions. Upkeep runs under a role with fewer rights, so these functions run
-- with the owner's, and only for the partitions of the two tables that are kept by day.
create function make_day(parent text, day date) returns void language plpgsql security definer
set search_path = shiftpact, pg_temp as $$
declare
  name text := parent || to_char(day, '_YYYYMMDD');
  since timestamptz := day::timestamp at time zone 'utc';
  until timestamptz := (day + 1)::timestamp at time zone 'utc';
begin
  if parent not in ('event_log', 'trace_steps') then raise 'the table % is not kept by day', parent; end if;
  if to_regclass(format('shiftpact.%I', name)) is not null then return; end if;
  execute format('create table %I (like %I including defaults)', name, parent);
  if parent = 'trace_steps' then
    -- Steps that were written before their day existed are in the default partition.
    lock table trace_steps_rest in access exclusive mode;
    execute format('with moved as (delete from trace_steps_rest where at >= $1 and at < $2 returning *) insert into %I select * from moved', name)
      using since, until;
  end if;
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, since, until);
end $$;

create function drop_day(partition text) returns void language plpgsql security definer
set search_path = shiftpact, pg_temp as $$ begin
  if exists (select from pg_inherits where inhrelid = to_regclass(format('shiftpact.%I', partition))
    and inhparent in ('event_log'::regclass, 'trace_steps'::regclass)) then
    execute format('drop table if exists %I', partition);
  end if;
end $$;

revoke execute on function make_day, drop_day from public;
