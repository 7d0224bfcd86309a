-- What the end of a job does besides: gives up its unique key, or keeps it where the job's states
-- say so, and writes the history.
--
-- ended    Attempts that ended their jobs: outcome 0 completed, 3 buried, 4 cancelled.
-- history  Whether those completed and cancelled are kept, without their payloads.
-- Locks:   unique keys, by their bytes.
-- Index:   the primary key of queue_unique_keys.
create or replace function :"schema".:"queue_settle"(ended :"schema".:"queue_ended"[],
                                                     history boolean)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $body$
#variable_conflict use_column
declare
  v_key text;
  v_id bigint;
  v_keeps boolean;
begin
  for v_key, v_id, v_keeps in
    select (e.body).unique_key, (e.body).id,
           ((e.body).unique_states & case e.outcome when 0 then 16 when 3 then 32 else 64 end) > 0
    from unnest(ended) e
    where (e.body).unique_key is not null order by (e.body).unique_key collate "C"
  loop
    if v_keeps then
      update :"schema".:"queue_unique_keys" k set ended_at = :"schema".:"now"()
      where k.key = v_key and k.id = v_id;
    else
      delete from :"schema".:"queue_unique_keys" k where k.key = v_key and k.id = v_id;
    end if;
  end loop;
  if history then
    insert into :"schema".:"queue_history"
      (ended_at, outcome, priority, queue, id, run_at, created_at, deadline, attempt, max_attempts,
       unique_states, suspect, kind, key, unique_key, content_type, headers, state)
    select :"schema".:"now"(), e.outcome, e.priority, e.queue, (e.body).id, (e.body).run_at,
           (e.body).created_at, (e.body).deadline, (e.body).attempt, (e.body).max_attempts,
           (e.body).unique_states, (e.body).suspect, (e.body).kind, (e.body).key,
           (e.body).unique_key, (e.body).content_type, (e.body).headers, (e.body).state
    from unnest(ended) e where e.outcome in (0, 4)
    on conflict do nothing;
  end if;
end
$body$;
