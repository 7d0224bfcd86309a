-- Gives up a worker whose beat stood still; see queue_rescue().
--
-- worker   Who.
-- beat     The beat that its caller saw for too long.
-- Returns: whether it is dead now, by this call or another.
-- Locks:   its row.
-- Odd:     the beat is looked at again by a later statement than the lock.
create or replace function :"schema".:"queue_mark_dead"(worker bigint, beat bigint)
returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $body$
#variable_conflict use_column
begin
  perform :"schema".:"queue_require_autocommit"();
  perform from :"schema".:"queue_workers" w where w.worker = :"queue_mark_dead".worker for update;
  update :"schema".:"queue_workers" w set dead = true
  where w.worker = :"queue_mark_dead".worker and w.beat = :"queue_mark_dead".beat;
  return found;
end
$body$;
