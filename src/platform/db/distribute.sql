-- Places the rows of each organisation on one worker of Citus, in the transaction of the caller. Tables that are not named here stay on the coordinator:
-- operators with their tokens and sessions, the audit log, reveals, erased people, offer mails (of all organisations together), sealed keys, processes, migrations, the last place.

set local search_path to shiftpact, public;
-- Shards of tables that refer to each other are made over one connection to each worker.
set local citus.multi_shard_modify_mode to sequential;

-- No reference may lead from a table that is distributed to one that is not yet, or back.
create temporary table reference on commit drop as
  select conrelid::regclass as referring, conname as name, pg_get_constraintdef(oid) as definition
  from pg_constraint where contype = 'f' and connamespace = 'shiftpact'::regnamespace and conparentid = 0;
do $$ declare each record; begin
  for each in select * from reference loop
    execute format('alter table %s drop constraint %I', each.referring, each.name);
  end loop;
end $$;

-- Common to all organisations, and joined with their rows: each worker has a copy.
select create_reference_table(name) from unnest(array[
  'candidates', 'candidate_competences', 'competences', 'workplaces']) as shared (name);

select create_distributed_table(name, 'provider_id', colocate_with => case nth when 1 then 'none' else 'integrations' end)
from unnest(array[
  'integrations', 'conditions', 'platform_tokens', 'outlets', 'roles', 'memberships', 'membership_competences', 'provider_candidates', 'registry_imports',
  'events', 'event_log', 'shifts', 'pending_operations', 'jobs', 'bookings', 'own_people', 'shift_changes', 'notifications', 'declines', 'disputed_addresses', 'personal_links',
  'issues', 'rejected_webhooks', 'trace_steps', 'work', 'figures'])
  with ordinality as own (name, nth);

-- The rows of a name are in one place for all nodes.
select create_distributed_table('locks', 'key', colocate_with => 'none');

do $$ declare each record; begin
  for each in select * from reference loop
    execute format('alter table %s add constraint %I %s', each.referring, each.name, each.definition);
  end loop;
end $$;

-- What the coordinator held before.
select truncate_local_data_after_distributing_table(logicalrelid) from pg_dist_partition
  where partmethod = 'h' or repmodel = 't';

-- What the platform sets in its own sessions, for those of the coordinator with the workers.
select run_command_on_workers(format('alter database %I set %s', current_database(), setting))
from unnest(array['jit to off', 'timezone to ''UTC''']) as needed (setting);
