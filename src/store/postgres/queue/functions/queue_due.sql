-- Queues that have deferred jobs, and when the first of each is due: for whoever promotes.
--
-- Returns: queue, run_at; a queue that is paused too.
-- Locks:   none.
-- Index:   queue_deferred_due, walked from queue to queue.
create or replace function :"schema".:"queue_due"()
returns table(queue text, run_at timestamptz)
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $body$
#variable_conflict use_column
begin
  select d.queue, d.run_at into queue, run_at from :"schema".:"queue_deferred" d
  order by d.queue, d.run_at limit 1;
  while queue is not null loop
    return next;
    select d.queue, d.run_at into queue, run_at from :"schema".:"queue_deferred" d
    where d.queue > :"queue_due".queue order by d.queue, d.run_at limit 1;
  end loop;
end
$body$;
