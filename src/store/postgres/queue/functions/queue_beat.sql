-- A worker says that it lives.
--
-- worker       Who.
-- oldest_open  Below it the process holds no claim, and will make none: at most its base and the
--              base of any call whose answer is still to come. Claims below it are given back, as
--              the answer to one may have been lost.
-- Returns: false where it was given up, or is unknown: it has to register anew, under another id,
--          and nothing it still runs counts.
-- Locks:   its row.
-- Index:   the primary key of queue_workers.
create or replace function :"schema".:"queue_beat"(worker bigint, oldest_open bigint)
returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $body$
#variable_conflict use_column
begin
  update :"schema".:"queue_workers" w
  set beat = w.beat + 1, beat_at = :"schema".:"now"(), oldest_open = :"queue_beat".oldest_open
  where w.worker = :"queue_beat".worker
    and not w.dead  --@mutant revive_the_dead
  ;
  return found;
end
$body$;
