-- Registers a process that will claim.
--
-- worker   Random, 64 bits, new at each start.
-- name     For people.
-- Returns: whether it was new; else draw another.
-- Locks:   its row.
create or replace function :"schema".:"queue_register"(worker bigint, name text) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $body$
#variable_conflict use_column
begin
  insert into :"schema".:"queue_workers" as w (worker, started_at, beat_at, name)
  values (:"queue_register".worker, :"schema".:"now"(), :"schema".:"now"(), :"queue_register".name)
  on conflict do nothing;
  return found;
end
$body$;
