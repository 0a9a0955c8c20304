-- works with: 013
-- Only the owner of a table may create or drop its partitions. Upkeep runs under a role with fewer rights, so these functions run
-- with the owner's, and only for the partitions of the two tables that are kept by day.
create function make_day(parent text, day date) returns void language plpgsql security definer
set search_path = shiftpact, pg_temp as $$ begin
  if parent not in ('event_log', 'trace_steps') then raise 'the table % is not kept by day', parent; end if;
  execute format('create table if not exists %I partition of %I for values from (%L) to (%L)', parent || to_char(day, '_YYYYMMDD'), parent,
    day::timestamp at time zone 'utc', (day + 1)::timestamp at time zone 'utc');
end $$;

create function drop_day(partition text) returns void language plpgsql security definer
set search_path = shiftpact, pg_temp as $$ begin
  if exists (select from pg_inherits where inhrelid = to_regclass(format('shiftpact.%I', partition))
    and inhparent in ('event_log'::regclass, 'trace_steps'::regclass)) then
    execute format('drop table if exists %I', partition);
  end if;
end $$;

revoke execute on function make_day, drop_day from public;
