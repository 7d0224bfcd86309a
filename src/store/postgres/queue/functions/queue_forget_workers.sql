-- Removes dead workers that no claim names any more.
--
-- after    Microseconds since their last beat: a claim of theirs might commit late.
-- Returns: how many.
-- Locks:   the rows it deletes.
-- Index:   queue_claims_by_worker.
create or replace function :"schema".:"queue_forget_workers"(after bigint) returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $body$
#variable_conflict use_column
declare
  v_count integer;
begin
  delete from :"schema".:"queue_workers" w
  where w.dead and w.beat_at < :"schema".:"now"() - :"queue_forget_workers".after * interval '1 microsecond'
    and not exists (select from :"schema".:"queue_claims" c where c.worker = w.worker)
    and not exists (select from :"schema".:"queue_running" r where r.worker = w.worker);
  get diagnostics v_count = row_count;
  return v_count;
end
$body$;
